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
}  // namespace track_descriptor
namespace track_event {
constexpr unsigned type = 9;
constexpr unsigned name_iid = 10;
constexpr unsigned track_uuid = 11;
constexpr std::uint64_t slice_begin = 1;
constexpr std::uint64_t slice_end = 2;
}  // namespace track_event
namespace interned_data {
constexpr unsigned event_names = 2;
constexpr unsigned iid = 1;
constexpr unsigned name = 2;
}  // namespace interned_data

constexpr std::uint64_t kSequence = 1;
constexpr std::uint64_t kStateCleared = 1;  // SEQ_INCREMENTAL_STATE_CLEARED
constexpr std::uint64_t kNeedsState = 2;    // SEQ_NEEDS_INCREMENTAL_STATE
constexpr std::array kStates{State::busy, State::blocked, State::starved};

/// A protobuf message under way.
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

std::string state_names() {
  Message names;
  for (const State state : kStates)
    names.message(interned_data::event_names,
                  Message().number(interned_data::iid, interned(state)).bytes(interned_data::name, to_string(state)));
  Message content;
  content.number(trace_packet::sequence_flags, kStateCleared).message(trace_packet::interned_data, names);
  return as_packet(content);
}

std::string track_named(const std::string& name, std::uint64_t id) {
  Message content;
  content.message(trace_packet::track_descriptor,
                  Message().number(track_descriptor::uuid, id).bytes(track_descriptor::name, name));
  return as_packet(content);
}

std::string event(Time at, std::uint64_t track, std::uint64_t type, State state) {
  Message event;
  event.number(track_event::type, type).number(track_event::track_uuid, track);
  if (type == track_event::slice_begin) event.number(track_event::name_iid, interned(state));
  Message content;
  content.number(trace_packet::timestamp, nanoseconds(at))
      .number(trace_packet::sequence_flags, kNeedsState)
      .message(trace_packet::track_event, event);
  return as_packet(content);
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

/// A file beside it; a device or a pipe is not replaced by a file.
std::filesystem::path unfinished(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return file;
  return file.string() + ".part";
}

}  // namespace

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
  return std::ranges::none_of(tracks_, [&](const auto& track) { return matches(pattern, track.first); });
}

TraceFile::Track& TraceFile::track(const std::string& actor) {
  const auto [found, added] = tracks_.try_emplace(actor);
  if (added && wanted(actor) && write_packet(track_named(actor, last_id_ + 1))) found->second.id = ++last_id_;
  return found->second;
}

void TraceFile::stretch(const std::string& actor, State state, Time begin, Time end) {
  begin = std::max(begin, options_.begin);
  end = std::min(end, options_.end);
  if (begin >= end) return;
  Track& track = this->track(actor);
  if (track.id == 0) return;
  if (track.state == state && track.end == begin) {
    track.end = end;
    return;
  }
  write_slice(track);
  track = {.id = track.id, .state = state, .begin = begin, .end = end};
}

void TraceFile::write_slice(const Track& track) {
  if (track.id == 0 || track.begin == track.end) return;
  const auto begin = event(track.begin, track.id, track_event::slice_begin, track.state);
  const auto end = event(track.end, track.id, track_event::slice_end, track.state);
  if (write_packet(begin + end)) ++summary_.slices;
}

bool TraceFile::write_packet(const std::string& packet) {
  summary_.full = summary_.full || summary_.bytes + packet.size() > options_.most_bytes;
  if (summary_.full) return false;
  out_.write(packet.data(), static_cast<std::streamsize>(packet.size()));
  summary_.bytes += packet.size();
  return true;
}

TraceFile::Summary TraceFile::close() {
  for (const auto& [name, track] : tracks_) write_slice(track);
  out_.flush();
  const bool written = out_.good();
  if (!written) throw Error(fmt::format("{}: the trace could not be written whole", file_.string()));
  out_.close();
  std::error_code failure;
  if (unfinished_ != file_) std::filesystem::rename(unfinished_, file_, failure);
  if (failure) throw Error(fmt::format("{}: {}", file_.string(), failure.message()));
  for (const auto& [name, track] : tracks_) summary_.parts.push_back(name);
  std::ranges::copy_if(options_.parts, std::back_inserter(summary_.vain),
                       [&](const std::string& pattern) { return in_vain(pattern); });
  return summary_;
}

}  // namespace isthmus
