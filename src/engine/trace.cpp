#include "isthmus/engine/trace.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <system_error>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

// Field numbers of Perfetto's messages.
namespace trace {
constexpr unsigned packet = 1;
}
namespace trace_packet {
constexpr unsigned timestamp = 8;
constexpr unsigned trusted_packet_sequence_id = 10;
constexpr unsigned track_event = 11;
constexpr unsigned interned_data = 12;
constexpr unsigned sequence_flags = 13;
constexpr unsigned track_descriptor = 60;
}  // namespace trace_packet
namespace track_descriptor {
constexpr unsigned uuid = 1;
constexpr unsigned name = 2;
constexpr unsigned process = 3;
constexpr unsigned parent_uuid = 5;
constexpr unsigned counter = 8;
}  // namespace track_descriptor
namespace process_descriptor {
constexpr unsigned pid = 1;
constexpr unsigned process_name = 6;
}  // namespace process_descriptor
namespace track_event {
constexpr unsigned debug_annotations = 4;
constexpr unsigned type = 9;
constexpr unsigned name_iid = 10;
constexpr unsigned track_uuid = 11;
constexpr unsigned counter_value = 30;
constexpr std::uint64_t slice_begin = 1;
constexpr std::uint64_t slice_end = 2;
constexpr std::uint64_t counter_change = 4;
}  // namespace track_event
namespace debug_annotation {
constexpr unsigned int_value = 4;
constexpr unsigned name = 10;
}  // namespace debug_annotation
namespace interned_data {
constexpr unsigned event_names = 2;
constexpr unsigned iid = 1;
constexpr unsigned name = 2;
}  // namespace interned_data

constexpr std::uint64_t kSequence = 1;
constexpr std::uint64_t kStateCleared = 1;  // SEQ_INCREMENTAL_STATE_CLEARED
constexpr std::uint64_t kNeedsState = 2;    // SEQ_NEEDS_INCREMENTAL_STATE
constexpr std::array kStates{State::busy, State::blocked, State::starved};

/// A protobuf message that is being written.
class Message {
 public:
  Message& number(unsigned field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  Message& bytes(unsigned field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    encoded_ += value;
    return *this;
  }
  Message& message(unsigned field, const Message& value) { return bytes(field, value.encoded_); }
  const std::string& encoded() const { return encoded_; }

 private:
  void varint(std::uint64_t value) {
    for (; value > 0x7F; value >>= 7U) encoded_ += static_cast<char>((value & 0x7FU) | 0x80U);
    encoded_ += static_cast<char>(value);
  }

  std::string encoded_;
};

std::uint64_t interned(State state) {
  return static_cast<std::uint64_t>(state) + 1;
}

std::uint64_t nanoseconds(Time time) {
  return static_cast<std::uint64_t>((time.femtoseconds() + 500'000) / 1'000'000);
}

std::string as_packet(Message& content) {
  content.number(trace_packet::trusted_packet_sequence_id, kSequence);
  return Message().message(trace::packet, content).encoded();
}

const char* to_string(State state) {
  switch (state) {
    case State::busy:
      return "busy";
    case State::blocked:
      return "blocked";
    case State::starved:
      return "starved";
  }
  return "unknown";
}

std::string state_names() {
  Message names;
  for (const State state : kStates)
    names.message(interned_data::event_names,
                  Message().number(interned_data::iid, interned(state)).bytes(interned_data::name, to_string(state)));
  Message content;
  content.number(trace_packet::sequence_flags, kStateCleared).message(trace_packet::interned_data, names);
  return as_packet(content);
}

std::string descriptor(Message& track) {
  Message content;
  content.message(trace_packet::track_descriptor, track);
  return as_packet(content);
}

Message named(const std::string& name, std::uint64_t id) {
  Message track;
  track.number(track_descriptor::uuid, id).bytes(track_descriptor::name, name);
  return track;
}

std::string process_named(const std::string& name, std::uint64_t id) {
  Message track = named(name, id);
  track.message(track_descriptor::process,
                Message().number(process_descriptor::pid, id).bytes(process_descriptor::process_name, name));
  return descriptor(track);
}

Message track_in(std::uint64_t process, const std::string& name, std::uint64_t id) {
  Message track = named(name, id);
  if (process != 0) track.number(track_descriptor::parent_uuid, process);
  return track;
}

std::string event(Time at, Message& event) {
  Message content;
  content.number(trace_packet::timestamp, nanoseconds(at))
      .number(trace_packet::sequence_flags, kNeedsState)
      .message(trace_packet::track_event, event);
  return as_packet(content);
}

Message on_track(std::uint64_t type, std::uint64_t track) {
  Message event;
  event.number(track_event::type, type).number(track_event::track_uuid, track);
  return event;
}

std::filesystem::path behind_links(std::filesystem::path file) {
  std::error_code failure;
  auto found = std::filesystem::weakly_canonical(file, failure);
  if (!failure) file = std::move(found);
  return file;
}

bool matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// The file into which the trace is written until `close`, in the same folder. A device or a pipe is written directly.
std::filesystem::path unfinished(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return file;
  return file.string() + ".part";
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path file, TraceOptions options)
    : file_(behind_links(std::move(file))),
      unfinished_(unfinished(file_)),
      options_(std::move(options)),
      out_(unfinished_, std::ios::binary | std::ios::trunc) {
  if (!out_) throw Error(fmt::format("{}: the trace cannot be written: {}", file_.string(), std::strerror(errno)));
  write_packet(state_names());
}

TraceFile::~TraceFile() {
  if (!out_.is_open()) return;
  out_.close();
  if (unfinished_ == file_) return;
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

bool TraceFile::wanted(const std::string& actor) const {
  return options_.parts.empty() ||
         std::ranges::any_of(options_.parts, [&](const std::string& pattern) { return matches(pattern, actor); });
}

bool TraceFile::in_vain(const std::string& pattern) const {
  const auto chooses = [&](const auto& named) { return matches(pattern, named.first); };
  return std::ranges::none_of(tracks_, chooses) && std::ranges::none_of(counters_, chooses);
}

/// The track of the process that stands for the actor's group; 0 if it has no group.
std::uint64_t TraceFile::group_of(const std::string& actor) {
  const auto group = groups_.find(actor);
  if (group == groups_.end() || group->second.empty()) return 0;
  const auto [process, added] = processes_.try_emplace(group->second);
  if (added && write_packet(process_named(group->second, last_id_ + 1))) process->second = ++last_id_;
  return process->second;
}

TraceFile::Track& TraceFile::track(const std::string& actor) {
  const auto [found, added] = tracks_.try_emplace(actor);
  if (!added || !wanted(actor)) return found->second;
  const std::uint64_t process = group_of(actor);
  Message track = track_in(process, actor, last_id_ + 1);
  if (write_packet(descriptor(track))) found->second.id = ++last_id_;
  return found->second;
}

TraceFile::Counter& TraceFile::counter(const std::string& actor, const char* occupancy) {
  const auto [found, added] = counters_.try_emplace(actor + ": " + occupancy);
  if (!added || !wanted(found->first)) return found->second;
  const std::uint64_t process = group_of(actor);
  Message track = track_in(process, found->first, last_id_ + 1);
  track.message(track_descriptor::counter, Message());
  if (write_packet(descriptor(track))) found->second.id = ++last_id_;
  return found->second;
}

void TraceFile::works_on(const std::string& actor, Time at, std::int64_t message) {
  Track& track = this->track(actor);
  if (track.id != 0) track.next.push_back({at, message});
}

void TraceFile::interval(const std::string& actor, State state, Time begin, Time end) {
  Track& track = this->track(actor);
  if (track.id == 0) return;
  const auto message = [&] { return state == State::starved ? kNoMessage : track.message; };
  for (; !track.next.empty() && track.next.front().from < end; track.next.pop_front()) {
    const Time from = std::max(begin, track.next.front().from);
    add(track, {.state = state, .message = message(), .begin = begin, .end = from});
    track.message = track.next.front().message;
    begin = from;
  }
  add(track, {.state = state, .message = message(), .begin = begin, .end = end});
}

void TraceFile::add(Track& track, const Slice& slice) {
  const Time begin = std::max(slice.begin, options_.begin);
  const Time end = std::min(slice.end, options_.end);
  if (begin >= end) return;
  Slice& last = track.slice;
  if (last.state == slice.state && last.message == slice.message && last.end == begin) {
    last.end = end;
    return;
  }
  write_slice(track.id, last);
  last = {.state = slice.state, .message = slice.message, .begin = begin, .end = end};
}

void TraceFile::write_slice(std::uint64_t track, const Slice& slice) {
  if (track == 0 || slice.begin == slice.end) return;
  Message begin = on_track(track_event::slice_begin, track);
  begin.number(track_event::name_iid, interned(slice.state));
  if (slice.message != kNoMessage)
    begin.message(track_event::debug_annotations,
                  Message()
                      .number(debug_annotation::int_value, static_cast<std::uint64_t>(slice.message))
                      .bytes(debug_annotation::name, "message"));
  Message end = on_track(track_event::slice_end, track);
  if (write_packet(event(slice.begin, begin) + event(slice.end, end))) ++summary_.slices;
}

void TraceFile::entries(const std::string& actor, const char* occupancy, Time at, std::int64_t change) {
  Counter& counter = this->counter(actor, occupancy);
  if (counter.id == 0) return;
  (change > 0 ? counter.taken : counter.given).push_back({at, change});
  count(counter, false);
}

/// Counts changes in the order of time: an observer gets nothing of one kind that is earlier than what it got of that
/// kind before.
void TraceFile::count(Counter& counter, bool all) {
  while ((all || !counter.taken.empty()) && (all || !counter.given.empty())) {
    if (counter.taken.empty() && counter.given.empty()) return;
    const bool takes =
        counter.given.empty() || (!counter.taken.empty() && counter.taken.front().at <= counter.given.front().at);
    std::deque<Change>& changes = takes ? counter.taken : counter.given;
    const Change change = changes.front();
    changes.pop_front();
    if (nanoseconds(change.at) != nanoseconds(counter.at)) write_value(counter);
    counter.at = change.at;
    counter.value += change.by;
  }
}

void TraceFile::write_value(const Counter& counter) {
  if (counter.id == 0 || counter.at < options_.begin || counter.at >= options_.end) return;
  Message value = on_track(track_event::counter_change, counter.id);
  value.number(track_event::counter_value, static_cast<std::uint64_t>(counter.value));
  write_packet(event(counter.at, value));
}

bool TraceFile::write_packet(const std::string& packet) {
  summary_.full = summary_.full || summary_.bytes + packet.size() > options_.most_bytes;
  if (summary_.full) return false;
  out_.write(packet.data(), static_cast<std::streamsize>(packet.size()));
  summary_.bytes += packet.size();
  return true;
}

TraceFile::Summary TraceFile::close() {
  for (const auto& [name, track] : tracks_) write_slice(track.id, track.slice);
  for (auto& [name, counter] : counters_) {
    count(counter, true);
    write_value(counter);
  }
  out_.flush();
  const bool written = out_.good();
  if (!written) throw Error(fmt::format("{}: the trace could not be written whole", file_.string()));
  out_.close();
  std::error_code failure;
  if (unfinished_ != file_) std::filesystem::rename(unfinished_, file_, failure);
  if (failure) throw Error(fmt::format("{}: {}", file_.string(), failure.message()));
  for (const auto& [name, track] : tracks_) summary_.parts.push_back(name);
  for (const auto& [name, counter] : counters_) summary_.parts.push_back(name);
  std::ranges::copy_if(options_.parts, std::back_inserter(summary_.vain),
                       [&](const std::string& pattern) { return in_vain(pattern); });
  return summary_;
}

}  // namespace isthmus
