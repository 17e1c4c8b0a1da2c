#include "flows/shared/shared_actors.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

// A kernel is given up that takes longer for a message than a thousand cycles a word at 100 MHz.
constexpr std::int64_t kLeastPatience = 5000;  // microseconds
constexpr std::int64_t kPatienceOfAWord = 10;

}  // namespace

LineStatus read_status(Out<LineAccess>& accesses, In<LineResult>& results, std::uint64_t address, std::uint64_t line) {
  fabric::begin_access(accesses, LineAccess::Kind::read, address, line, kStatus);
  LineStatus status{};
  std::memcpy(&status, results.read_in_place().data.data(), sizeof(status));
  return status;
}

LineAccess& write_status(Out<LineAccess>& accesses, std::uint64_t address, std::uint64_t line,
                         const LineStatus& status) {
  LineAccess& access = fabric::begin_access(accesses, LineAccess::Kind::write, address, line, kStatus);
  access.data = {};
  std::memcpy(access.data.data(), &status, sizeof(status));
  return access;
}

void read_stretch(Out<LineAccess>& accesses, In<LineResult>& results, const fabric::SharedSpace& space,
                  const LinePieces& stretch, std::span<std::byte> output) {
  const std::uint64_t lines = stretch.count();
  std::uint64_t sent = 0;
  for (std::uint64_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < kLineFills) {
      fabric::begin_access(accesses, LineAccess::Kind::read, space.physical(stretch.from + stretch.offset(sent)),
                           stretch.size(sent), static_cast<std::uint16_t>(sent));
      ++sent;
      continue;
    }
    const LineResult& line = results.read_in_place();
    // tags are the lowest bits of the line's number; those under way lie close together
    const std::uint64_t number = sent - 1 - static_cast<std::uint16_t>(sent - 1 - line.tag);
    if (!output.empty()) std::memcpy(output.data() + stretch.offset(number), line.data.data(), line.bytes);
    ++answered;
  }
}

void SharedProducer::step() {
  stop_if_interrupted();
  if (next >= kSharedSlots) taken.read();
  if (next == 0)
    for (std::size_t i = 0; i < work.job.application.extras.control.messages.size(); ++i)
      timer.wait_until(timer.now() + work.store);
  begun.push_back(timer.now());
  if (const Time host = work.job.application.extras.host_work; host > Time()) timer.wait_until(timer.now() + host);
  const auto message = work.messages.input(next);
  const LinePieces pieces = work.places.input_of(next, work.job);
  const std::uint64_t lines = pieces.count();
  std::uint64_t sent = 0;
  for (std::uint64_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < kLineFills) {
      const std::uint64_t at = pieces.offset(sent);
      const std::uint64_t bytes = pieces.size(sent++);
      LineAccess& access = fabric::begin_access(accesses, LineAccess::Kind::write,
                                                work.places.space.physical(pieces.from + at), bytes, kData);
      std::memcpy(access.data.data(), message.data() + at, bytes);
      if (results.pull_in_place() != nullptr) ++answered;
    } else {
      results.read_in_place();
      ++answered;
    }
  }
  timer.wait_until(timer.now() + work.store);
  starts.push(next++);
  started.push_back(timer.now());
}

void SharedConsumer::give_up_if_late() {
  const auto& application = work.job.application;
  const Time before = received.empty() ? Time() : received.back();
  const std::size_t words = (application.input + application.output) / kWordBytes;
  const Time most = Time::us(kLeastPatience + kPatienceOfAWord * static_cast<std::int64_t>(words));
  if (timer.now() - before > most)
    throw Error(
        fmt::format("message {} has not come back from the kernel for {} of virtual time; `last` closes a message",
                    next, to_string(most)));
}

void SharedConsumer::step() {
  const auto& places = work.places;
  const LineStatus status = read_status(accesses, results, places.space.physical(places.status), places.line);
  if (status.complete <= static_cast<std::uint64_t>(next)) return give_up_if_late();
  read_stretch(accesses, results, places.space, places.output_of(next, work.job), work.messages.output(next));
  received.push_back(timer.now());
  work.messages.finished(next++);
  taken.push(next);
}

ReadPlan messages_of(const SharedWork& work) {
  return {.launches = work.job.count,
          .each = 1,
          .words = work.job.application.input / kWordBytes,
          .channel = work.channel,
          .stretch = [&work](int message, std::uint64_t) { return work.places.input_of(message, work.job); }};
}

void LineReader::step() {
  bool moved = take();
  moved |= hand_on();
  if (asking_ == started_ && starts.pull()) {
    ++started_;
    moved = true;
  }
  moved |= ask_next();
  if (!moved) timer.wait(results, starts, accesses);
}

bool LineReader::take() {
  if (!lines_.awaits()) return false;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return false;
  lines_.take(*result);
  return true;
}

bool LineReader::hand_on() {
  StreamWord word;
  if (!lines_.give(word.data)) return false;
  word.last = ++handed_ % plan_.words == 0;
  words.push(word);
  return true;
}

bool LineReader::ask_next() {
  if (asking_ == started_ || !lines_.room() || !accesses.room()) return false;
  const LinePieces pieces = plan_.stretch(asking_, number_);
  fabric::begin_access(accesses, LineAccess::Kind::read, pieces.from + pieces.offset(asked_), pieces.size(asked_),
                       lines_.ask())
      .channel = plan_.channel;
  if (++asked_ < pieces.count()) return true;
  asked_ = 0;
  if (++number_ < plan_.each) return true;
  number_ = 0;
  ++asking_;
  return true;
}

void ConfiguringReader::step() {
  if (!configured) {
    for (const std::uint32_t message : sent.messages) control.push(message);
    if (const auto ready = sent.ready)
      while (answers.read().tag != *ready) {
      }
    configured = true;
  }
  LineReader::step();
}

void SharedWriter::step() {
  bool moved = take();
  moved |= accesses.room() && (tell() || write());
  if (!moved) timer.wait(results, accesses, words);
}

bool SharedWriter::take() {
  const auto asked = written + static_cast<std::uint64_t>(told + fences);
  if (asked == answered + static_cast<std::uint64_t>(over + fenced)) return false;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return false;
  if (result->tag == kData)
    ++answered;
  else
    ++(result->tag == kStatus ? over : fenced);
  return true;
}

/// The status of a message whose lines are all written, and at the home: what the coherent channel has answered is.
bool SharedWriter::tell() {
  if (answered < lines * static_cast<std::uint64_t>(told + 1)) return false;
  if (work.channel != platform::kCoherentWay && fenced == told) {
    if (fences > fenced) return false;
    fabric::begin_access(accesses, LineAccess::Kind::fence, 0, 0, kFence).channel = work.channel;
    ++fences;
    return true;
  }
  write_status(accesses, work.places.status, work.places.line, {.complete = static_cast<std::uint64_t>(++told)})
      .channel = work.channel;
  return true;
}

bool SharedWriter::write() {
  if (written == lines * static_cast<std::uint64_t>(work.job.count)) return false;
  const StreamWord* word = words.pull_in_place();
  if (word == nullptr) return false;
  const LinePieces pieces = work.places.output_of(static_cast<int>(written / lines), work.job);
  const std::uint64_t at = pieces.offset(written % lines);
  gathered_.add(word->data);
  if (gathered_.bytes() < pieces.size(written % lines)) return true;
  LineAccess& access = fabric::begin_access(accesses, LineAccess::Kind::write, pieces.from + at, 0, kData);
  access.channel = work.channel;
  gathered_.put(access);
  ++written;
  return true;
}

}  // namespace isthmus::program
