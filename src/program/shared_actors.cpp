#include "program/shared_actors.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

// A kernel is given up that takes longer for a message than a thousand cycles a word at 100 MHz.
constexpr std::int64_t kLeastPatience = 5000;  // microseconds
constexpr std::int64_t kPatienceOfAWord = 10;

enum CircuitTag : std::uint16_t { kData, kStatus, kFence };

}  // namespace

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

std::uint64_t SharedConsumer::complete() {
  fabric::begin_access(accesses, LineAccess::Kind::read, work.places.space.physical(work.places.status),
                       work.places.line, kStatus);
  std::uint64_t count = 0;
  std::memcpy(&count, results.read_in_place().data.data(), sizeof(count));
  return count;
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
  if (complete() <= static_cast<std::uint64_t>(next)) return give_up_if_late();
  const auto output = work.messages.output(next);
  const LinePieces pieces = work.places.output_of(next, work.job);
  const std::uint64_t lines = pieces.count();
  std::uint64_t sent = 0;
  for (std::uint64_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < kLineFills) {
      const std::uint64_t address = pieces.from + pieces.offset(sent);
      fabric::begin_access(accesses, LineAccess::Kind::read, work.places.space.physical(address), pieces.size(sent),
                           static_cast<std::uint16_t>(sent));
      ++sent;
      continue;
    }
    const LineResult& result = results.read_in_place();
    // tags are the lowest bits of the line's number; those under way lie close together
    const std::uint64_t number = sent - 1 - static_cast<std::uint16_t>(sent - 1 - result.tag);
    std::memcpy(output.data() + pieces.offset(number), result.data.data(), result.bytes);
    ++answered;
  }
  received.push_back(timer.now());
  work.messages.finished(next++);
  taken.push(next);
}

void SharedReader::step() {
  bool moved = take();
  moved |= hand_on();
  if (asking == started && starts.pull()) {
    ++started;
    moved = true;
  }
  moved |= ask_next();
  if (!moved) timer.wait(results, starts, accesses);
}

bool SharedReader::take() {
  if (!lines_.awaits()) return false;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return false;
  lines_.take(*result);
  return true;
}

bool SharedReader::hand_on() {
  StreamWord word;
  if (!lines_.give(word.data)) return false;
  word.last = ++handed % in_message == 0;
  words.push(word);
  return true;
}

bool SharedReader::ask_next() {
  if (asking == started || !lines_.room() || !accesses.room()) return false;
  const LinePieces pieces = work.places.input_of(asking, work.job);
  fabric::begin_access(accesses, LineAccess::Kind::read, pieces.from + pieces.offset(asked), pieces.size(asked),
                       lines_.ask())
      .channel = work.channel;
  if (++asked < pieces.count()) return true;
  asked = 0;
  ++asking;
  return true;
}

void ConfiguringSharedReader::step() {
  if (!configured) {
    const Control& sent = work.job.application.extras.control;
    for (const std::uint32_t message : sent.messages) control.push(message);
    if (const auto ready = sent.ready)
      while (answers.read().tag != *ready) {
      }
    configured = true;
  }
  SharedReader::step();
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
    LineAccess& fence = fabric::begin_access(accesses, LineAccess::Kind::fence, 0, 0, kFence);
    fence.channel = work.channel;
    ++fences;
    return true;
  }
  LineAccess& access =
      fabric::begin_access(accesses, LineAccess::Kind::write, work.places.status, work.places.line, kStatus);
  access.channel = work.channel;
  const auto complete = static_cast<std::uint64_t>(++told);
  access.data = {};
  std::memcpy(access.data.data(), &complete, sizeof(complete));
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
