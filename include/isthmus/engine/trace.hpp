#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus {

/// What an actor does: it works, waits for room, or waits for tokens.
enum class State : std::uint8_t { busy, blocked, starved };
const char* to_string(State state);

/// Is told how the actors of a run spent their lives. The stretches of one actor come in order, without gaps between
/// them; two that follow each other may be of one state.
class StateObserver {
 public:
  virtual ~StateObserver() = default;
  virtual void stretch(const std::string& actor, State state, Time begin, Time end) = 0;
};

struct TraceOptions {
  Time begin{};                      ///< what lies before is left out
  Time end = Time::max();            ///< and what lies after
  std::vector<std::string> parts{};  ///< patterns (* and ?) of actors' names; all where there are none
  std::uint64_t most_bytes = std::uint64_t{256} << 20U;
};

/// Writes a run's states as a trace in Perfetto's protobuf (perfetto/protos/perfetto/trace: Trace, TracePacket,
/// TrackEvent): a track for each actor, a slice for each stretch of equal state. Perfetto counts nanoseconds; times are
/// rounded to them.
class TraceFile final : public StateObserver {
 public:
  struct Summary {
    std::uint64_t slices = 0;
    std::uint64_t bytes = 0;
    bool full = false;                 ///< `most_bytes` was reached: later slices are missing
    std::vector<std::string> parts{};  ///< of the run, chosen or not
    std::vector<std::string> vain{};   ///< patterns that chose none of them
  };

  /// Throws Error if `file` cannot be written. Until `close` the trace stands in a file beside it, which goes away
  /// where `close` is never called.
  TraceFile(std::filesystem::path file, TraceOptions options = {});
  ~TraceFile() override;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void stretch(const std::string& actor, State state, Time begin, Time end) override;
  /// Puts the trace in its place. Throws Error if it could not be written whole.
  Summary close();

 private:
  struct Track {
    std::uint64_t id = 0;  ///< 0 for a part that is left out
    State state = State::busy;
    Time begin;
    Time end;
  };

  Track& track(const std::string& actor);
  bool wanted(const std::string& actor) const;
  bool in_vain(const std::string& pattern) const;
  void write_slice(const Track& track);
  bool write_packet(const std::string& packet);

  std::filesystem::path file_;
  std::filesystem::path unfinished_;  ///< where the trace stands until `close`
  TraceOptions options_;
  std::ofstream out_;
  std::map<std::string, Track> tracks_;
  std::uint64_t last_id_ = 0;
  Summary summary_;
};

}  // namespace isthmus
