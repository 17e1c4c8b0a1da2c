#include "program/shared_actors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

// A kernel is given up that takes longer for a message than a thousand cycles a word at 100 MHz.
constexpr std::int64_t kLeastPatience = 5000;  // us
constexpr std::int64_t kPatienceOfAWord = 10;

enum Tag : std::uint16_t { kData, kStatus };

LineAccess& ask(Out<LineAccess>& accesses, LineAccess::Kind kind, std::uint64_t address, std::uint16_t tag) {
  LineAccess& access = accesses.slot();
  access.kind = kind;
  access.bytes = kWordBytes;
  access.tag = tag;
  access.addr = address;
  return access;
}

std::size_t place_of(std::size_t line) {
  return line * kWordBytes;
}

}  // namespace

void SharedProducer::step() {
  stop_if_interrupted();
  if (next >= kSharedSlots) taken.read();
  if (next == 0)
    for (std::size_t i = 0; i < work.job.application.extras.control.messages.size(); ++i)
      timer.wait_until(timer.now() + work.store);
  begun.push_back(timer.now());
  const auto message = work.messages.input(next);
  const std::size_t lines = message.size() / kWordBytes;
  std::size_t sent = 0;
  for (std::size_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < kLineFills) {
      const std::uint64_t address = work.places.input_of(next) + place_of(sent);
      LineAccess& access = ask(accesses, LineAccess::Kind::write, work.places.space.physical(address), kData);
      std::memcpy(access.data.data(), message.data() + place_of(sent++), kWordBytes);
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
  ask(accesses, LineAccess::Kind::read, work.places.space.physical(work.places.status), kStatus);
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
  const std::size_t lines = output.size() / kWordBytes;
  std::size_t sent = 0;
  for (std::size_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < kLineFills) {
      const std::uint64_t address = work.places.output_of(next) + place_of(sent);
      ask(accesses, LineAccess::Kind::read, work.places.space.physical(address), static_cast<std::uint16_t>(sent));
      ++sent;
      continue;
    }
    const LineResult& result = results.read_in_place();
    // tags are the lowest bits of the line's number; those under way lie close together
    const std::size_t number = sent - 1 - static_cast<std::uint16_t>(sent - 1 - result.tag);
    std::memcpy(output.data() + place_of(number), result.data.data(), kWordBytes);
    ++answered;
  }
  received.push_back(timer.now());
  work.messages.finished(next++);
  taken.push(next);
}

void SharedReader::step() {
  bool moved = false;
  if (asked > handed) {
    if (const LineResult* result = results.pull_in_place(); result != nullptr) {
      StreamWord word;
      std::memcpy(word.data.bytes.data(), result->data.data(), kWordBytes);
      word.last = ++handed % lines == 0;
      words.push(word);
      moved = true;
    }
  }
  if (asked == lines * static_cast<std::uint64_t>(started) && starts.pull()) {
    ++started;
    moved = true;
  }
  if (asked < lines * static_cast<std::uint64_t>(started) && accesses.room()) {
    const auto message = static_cast<int>(asked / lines);
    ask(accesses, LineAccess::Kind::read, work.places.input_of(message) + place_of(asked % lines), kData);
    ++asked;
    moved = true;
  }
  if (!moved) timer.wait(results, starts, accesses);
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
  bool moved = false;
  if (written + static_cast<std::uint64_t>(told) > answered + static_cast<std::uint64_t>(over)) {
    if (const LineResult* result = results.pull_in_place(); result != nullptr) {
      if (result->tag == kStatus)
        ++over;
      else
        ++answered;
      moved = true;
    }
  }
  if (accesses.room()) {
    if (answered >= lines * static_cast<std::uint64_t>(told + 1)) {
      LineAccess& access = ask(accesses, LineAccess::Kind::write, work.places.status, kStatus);
      const auto complete = static_cast<std::uint64_t>(++told);
      access.data = {};
      std::memcpy(access.data.data(), &complete, sizeof(complete));
      moved = true;
    } else if (written < lines * static_cast<std::uint64_t>(work.job.count)) {
      if (const StreamWord* word = words.pull_in_place(); word != nullptr) {
        const auto message = static_cast<int>(written / lines);
        LineAccess& access =
            ask(accesses, LineAccess::Kind::write, work.places.output_of(message) + place_of(written % lines), kData);
        std::memcpy(access.data.data(), word->data.bytes.data(), kWordBytes);
        ++written;
        moved = true;
      }
    }
  }
  if (!moved) timer.wait(results, accesses, words);
}

}  // namespace isthmus::program
