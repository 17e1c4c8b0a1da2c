#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ring.hpp"

namespace isthmus::engine {

/// Turns a user's structs into a graph: names ports, makes channels, and refuses what cannot run.
class Wiring {
 public:
  using Actors = std::vector<std::unique_ptr<GraphActor>>;
  using Channels = std::vector<std::unique_ptr<Channel>>;

  static void name_members(GraphActor& actor);
  static void find_state(GraphActor& actor);
  static void bind_members(GraphActor& actor, std::uint64_t seed);
  static std::unique_ptr<Channel> connect(const Actors& actors, std::byte* from, std::byte* to,
                                          const ChannelOptions& options, int index, RingMemory& memory);
  /// A port that is declared unused: its actor, and "ACTOR.PORT". Throws Error if it is connected or belongs to no
  /// actor.
  static std::pair<const GraphActor*, std::string> unused_port(const Actors& actors, const std::byte* port);
  static std::vector<std::string> check(const Actors& actors, const Channels& channels);
  static void rank_clients(const Actors& actors, const Channels& channels);
};

}  // namespace isthmus::engine
