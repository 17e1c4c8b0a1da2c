#include "flows/shared/shared_actors.hpp"

#include <cstring>

namespace isthmus::program {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

/// The tags of a circuit's writes.
enum WriteTag : std::uint16_t { kData, kStatus, kFence };

}  // namespace

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

WritePlan outputs_of(const SharedWork& work) {
  return {.outputs = work.job.count,
          .until_last = false,
          .status = work.places.status,
          .line = work.places.line,
          .channel = work.channel,
          .place = [&work](int message) { return work.places.output_of(message, work.job); }};
}

void LineWriter::step() {
  bool moved = take();
  moved |= accesses.room() && (tell() || write());
  if (!moved) timer.wait(results, accesses, words);
}

bool LineWriter::take() {
  const auto asked = written_ + static_cast<std::uint64_t>(told_ + fences_);
  if (asked == answered_ + static_cast<std::uint64_t>(over_ + fenced_)) return false;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return false;
  if (result->tag == kData)
    ++answered_;
  else
    ++(result->tag == kStatus ? over_ : fenced_);
  return true;
}

/// The status of an output whose lines are all at the home: what the coherent channel has answered is.
bool LineWriter::tell() {
  if (ended_.empty() || answered_ < ended_.front().lines) return false;
  if (plan_.channel != platform::kCoherentWay && fenced_ == told_) {
    if (fences_ > fenced_) return false;
    fabric::begin_access(accesses, LineAccess::Kind::fence, 0, 0, kFence).channel = plan_.channel;
    ++fences_;
    return true;
  }
  const LineStatus status{.complete = static_cast<std::uint64_t>(++told_), .words = ended_.front().words};
  LineAccess& access = fabric::begin_access(accesses, LineAccess::Kind::write, plan_.status, plan_.line, kStatus);
  access.channel = plan_.channel;
  access.data = {};
  std::memcpy(access.data.data(), &status, sizeof(status));
  ended_.pop_front();
  return true;
}

bool LineWriter::write() {
  if (output_ == plan_.outputs) return false;
  const StreamWord* word = words.pull_in_place();
  if (word == nullptr) return false;
  const LinePieces place = plan_.place(output_);
  gathered_.add(word->data);
  ++in_output_;
  const bool full = gathered_.bytes() == place.size(line_);
  const bool last = plan_.until_last ? word->last : full && line_ + 1 == place.count();
  if (!full && !last) return true;
  LineAccess& access =
      fabric::begin_access(accesses, LineAccess::Kind::write, place.from + place.offset(line_), 0, kData);
  access.channel = plan_.channel;
  gathered_.put(access);
  ++line_;
  ++written_;
  if (!last) return true;
  ended_.push_back({.lines = written_, .words = std::exchange(in_output_, 0)});
  line_ = 0;
  ++output_;
  return true;
}

}  // namespace isthmus::program
