#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fabric/coherence_checker.hpp"
#include "isthmus/fabric/coherence/coherence.hpp"

/// Clients that read and write a few lines at random, and what they saw.
namespace isthmus::fabric {

inline constexpr std::uint64_t kWord = 8;
inline constexpr std::int64_t kEnd = std::int64_t{1} << 61;  ///< of operations that follow all others

inline std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, kWord);
  return value;
}

/// What a client may do.
struct ClientSpec {
  int id;                  ///< 1 or more: goes into the values that it writes
  int count;               ///< accesses
  int at_once;             ///< under way, at most
  int lines;               ///< the first so many
  int line;                ///< bytes
  int writes;              ///< percent
  int idle;                ///< percent of cycles
  bool uncached;           ///< reads may be
  bool maintains = false;  ///< it may flush lines, wait for memory, and write whole ones that are not kept
};

/// Reads over its first port and writes over its last.
struct Client {
  PortArray<Out<LineAccess>> requests;
  PortArray<In<LineResult>> results;
  Random random;
  Timer timer;
  ClientSpec spec;
  std::uint64_t base;
  int sent = 0;
  int received = 0;
  std::vector<LineAccess> accesses{};
  std::vector<std::int64_t> begins{};
  std::vector<coherence::Operation> seen{};

  Client(int ports, const ClientSpec& what, std::uint64_t first)
      : requests(ports, "requests"), results(ports, "results"), spec(what), base(first) {}
  void step();
  bool done() const { return received == spec.count; }

 private:
  LineAccess::Kind any_kind(bool write, bool whole);
  void take(const LineResult& result);
  void send();
};

/// Keeps what it is told.
struct StateLog : CoherenceObserver {
  std::vector<coherence::Change> changes;
  void now_is(std::size_t agent, std::uint64_t line, LineState state, Time at) override {
    changes.push_back({at.femtoseconds(), agent, line, "ISFEM"[static_cast<std::size_t>(state)]});
  }
  void buffered(std::size_t agent, std::uint64_t line, bool in, Time at) override {
    changes.push_back({at.femtoseconds(), agent, line, in ? 'B' : 'b'});
  }
  void looked_up(std::size_t, const LineAccess&, Time) override {}
};

/// A cache with its clients, each at a port of its own, directly or behind a service layer.
struct ClientsOfCache {
  std::vector<ClientSpec> clients;
  bool service_layer = false;
  Clock clock;
};

struct CoherenceBench {
  CoherenceSpec coherence;
  std::vector<ClientsOfCache> clients;  ///< of each cache
  int lines = 4;
  std::uint64_t schedule_seed = 0;
  std::uint64_t seed = 1;
};

struct CoherenceRun {
  std::vector<coherence::Operation> operations;  ///< with a read of every word at the end
  std::vector<coherence::Change> changes;
  std::string stuck;         ///< clients that got no further
  std::string stale_memory;  ///< a line of which a clean copy differs from memory at the end
};

CoherenceRun run(const CoherenceBench& bench);

}  // namespace isthmus::fabric
