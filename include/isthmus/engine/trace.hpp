#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/state.hpp"

namespace isthmus {

struct TraceOptions {
  Time begin{};                      ///< earlier intervals are left out
  Time end = Time::max();            ///< later intervals are left out
  std::vector<std::string> parts{};  ///< patterns (* and ?) of actors' names; none: all actors
  std::uint64_t most_bytes = std::uint64_t{256} << 20U;
};

/// Writes a run's states as a trace in Perfetto's protobuf (perfetto/protos/perfetto/trace: Trace, TracePacket,
/// TrackEvent): a process for each group of actors, in it a track for each actor, with a slice for each interval of
/// equal state and message, and a counter for each occupancy. Perfetto counts nanoseconds; times are rounded to them.
class TraceFile final : public StateObserver {
 public:
  struct Summary {
    std::uint64_t slices = 0;
    std::uint64_t bytes = 0;
    bool full = false;                 ///< `most_bytes` was reached: later slices are missing
    std::vector<std::string> parts{};  ///< the parts of the run, chosen or not
    std::vector<std::string> vain{};   ///< patterns that match no part
  };

  /// Throws Error if `file` cannot be written. Until `close` the trace is in another file in the same folder, which is
  /// removed if `close` is never called.
  TraceFile(std::filesystem::path file, TraceOptions options = {});
  ~TraceFile() override;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void interval(const std::string& actor, State state, Time begin, Time end) override;
  void stands_under(const std::string& actor, const std::string& group) override { groups_[actor] = group; }
  void works_on(const std::string& actor, Time at, std::int64_t message) override;
  void entries(const std::string& actor, const char* occupancy, Time at, std::int64_t change) override;
  /// Puts the trace in its place. Throws Error if it could not be written whole.
  Summary close();

 private:
  static constexpr std::int64_t kNoMessage = -1;
  struct Slice {
    State state = State::busy;
    std::int64_t message = kNoMessage;
    Time begin;
    Time end;
  };
  struct Work {
    Time from;
    std::int64_t message;
  };
  struct Track {
    std::uint64_t id = 0;  ///< 0 for a part that is left out
    Slice slice;
    std::int64_t message = kNoMessage;  ///< message at the end of the intervals so far
    std::deque<Work> next;              ///< messages on which it works later
  };
  struct Change {
    Time at;
    std::int64_t by;
  };
  struct Counter {
    std::uint64_t id = 0;
    std::deque<Change> taken;
    std::deque<Change> given;
    std::int64_t value = 0;
    Time at;  ///< time of `value`, which is not written yet
  };

  std::uint64_t group_of(const std::string& actor);
  Track& track(const std::string& actor);
  Counter& counter(const std::string& actor, const char* occupancy);
  void add(Track& track, const Slice& slice);
  void count(Counter& counter, bool all);
  void write_value(const Counter& counter);
  bool wanted(const std::string& actor) const;
  bool in_vain(const std::string& pattern) const;
  void write_slice(std::uint64_t track, const Slice& slice);
  bool write_packet(const std::string& packet);

  std::filesystem::path file_;
  std::filesystem::path unfinished_;  ///< the file of the trace until `close`
  TraceOptions options_;
  std::ofstream out_;
  std::map<std::string, std::string> groups_;       ///< group of each actor
  std::map<std::string, std::uint64_t> processes_;  ///< process of each group
  std::map<std::string, Track> tracks_;
  std::map<std::string, Counter> counters_;
  std::uint64_t last_id_ = 0;
  Summary summary_;
};

}  // namespace isthmus
