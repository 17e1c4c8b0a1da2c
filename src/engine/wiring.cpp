#include "wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/occupancy.hpp"

namespace isthmus::engine {
namespace {

struct FoundPort {
  GraphActor* actor = nullptr;
  MemberRecord* port = nullptr;
};

FoundPort find_port(const Wiring::Actors& actors, const std::byte* address) {
  const Actor* of = reinterpret_cast<const PortState*>(address)->actor;  // a port begins with its state
  const auto index = static_cast<std::size_t>(of == nullptr ? -1 : of->index);
  if (index >= actors.size() || actors[index].get() != of) return {};
  auto& actor = *actors[index];
  const auto member = std::ranges::find(actor.members, address, &MemberRecord::address);
  return {&actor, &*member};
}

std::string port_name(const FoundPort& found) {
  return found.actor->name + "." + found.port->name;
}

bool is_port(const MemberRecord& member) {
  return member.kind == Member::Kind::in || member.kind == Member::Kind::out;
}

/// A latency in ticks of the end that acts, whose grid is `from`.
std::int64_t latency_ticks(const GraphActor& from, int cycles, Time time, const char* which,
                           const std::string& channel) {
  if (from.clocked) {
    if (cycles < 1) throw Error(fmt::format("channel '{}': {} {}: expected 1 cycle or more", channel, which, cycles));
    return cycles;
  }
  if (time <= Time{})
    throw Error(fmt::format("channel '{}': {} has no clock: expected a {}_time above 0", channel, from.name, which));
  return time.femtoseconds();
}

int synchroniser_cycles(const GraphActor& a, const GraphActor& b, const ChannelOptions& options,
                        const std::string& channel) {
  if (!a.clocked || !b.clocked) return 0;
  if (options.synchroniser && *options.synchroniser < 0)
    throw Error(
        fmt::format("channel '{}': synchroniser {}: expected 0 cycles or more", channel, *options.synchroniser));
  if (options.synchroniser) return *options.synchroniser;
  const bool same_source = !a.pll.empty() && a.pll == b.pll;
  return a.grid.same_edges(b.grid) || same_source ? 0 : 2;
}

/// The depth from which the channel carries a token every period of its slower end; 0 if an end has no clock. It is the
/// longest way of a slot there and back, in ticks of that end, over as many ticks as most pairs of clocks take to
/// repeat.
std::uint64_t full_rate_depth(const Channel& channel) {
  constexpr Tick kTicks = 2048;
  const Grid& writer = channel.writer->grid;
  const Grid& reader = channel.reader->grid;
  if (!writer.clocked() || !reader.clocked()) return 0;
  const bool writer_slower = writer.period() >= reader.period();
  const Crossing& away = writer_slower ? channel.forward : channel.back;
  const Crossing& return_way = writer_slower ? channel.back : channel.forward;
  Tick longest = 0;
  for (Tick tick = 0; tick < (channel.direct() ? 1 : kTicks); ++tick) {
    const Tick returns = return_way.map(away.map(tick));
    if (returns >= kNever / 2) break;
    longest = std::max(longest, returns - tick);
  }
  return static_cast<std::uint64_t>(longest);
}

/// Tells for each actor whether a token that leaves it can come back to it: it shares a strongly connected component,
/// or feeds itself.
std::vector<bool> on_loops(const Wiring::Actors& actors, const Wiring::Channels& channels) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(actors.size());
  std::vector<bool> on_loop(actors.size());
  for (const auto& channel : channels) {
    const auto from = static_cast<std::size_t>(channel->writer->index);
    const auto to = static_cast<std::size_t>(channel->reader->index);
    boost::add_edge(from, to, graph);
    if (from == to) on_loop[from] = true;
  }
  std::vector<std::size_t> component(actors.size());
  const auto components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::size_t> members(components);
  for (const auto of : component) ++members[of];
  for (std::size_t i = 0; i < actors.size(); ++i)
    if (members[component[i]] > 1) on_loop[i] = true;
  return on_loop;
}

std::uint64_t name_seed(const std::string& name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

void Wiring::name_members(GraphActor& actor) {
  for (const auto kind : {Member::Kind::in, Member::Kind::out}) {
    const auto of_kind = [&](const MemberRecord& member) { return member.kind == kind; };
    const bool several = std::count_if(actor.members.begin(), actor.members.end(), of_kind) > 1;
    int number = 0;
    for (auto& member : actor.members) {
      if (!of_kind(member)) continue;
      const char* plain = kind == Member::Kind::in ? "in" : "out";
      if (member.given_name == nullptr)
        member.name = several ? plain + std::to_string(number) : plain;
      else
        member.name = member.element < 0 ? member.given_name : fmt::format("{}[{}]", member.given_name, member.element);
      ++number;
    }
  }
}

void Wiring::find_state(GraphActor& actor) {
  // Ports, timers and occupancies change without the actor having learnt anything; a Random that was drawn from is
  // another Random. The ports of an array lie elsewhere.
  auto members = actor.members;
  std::erase_if(members,
                [](const MemberRecord& member) { return member.kind == Member::Kind::random || member.element >= 0; });
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  std::size_t at = 0;
  for (const auto& member : members) {
    const auto offset = static_cast<std::size_t>(member.address - actor.object());
    if (offset > at) actor.state.push_back({at, offset - at});
    at = offset + member.size;
  }
  if (at < actor.object_size()) actor.state.push_back({at, actor.object_size() - at});
}

void Wiring::bind_members(GraphActor& actor, std::uint64_t seed) {
  for (auto& member : actor.members) {
    if (is_port(member)) reinterpret_cast<PortState*>(member.address)->actor = &actor;
    if (member.kind == Member::Kind::timer) reinterpret_cast<Timer*>(member.address)->actor_ = &actor;
    if (member.kind == Member::Kind::random)
      reinterpret_cast<Random*>(member.address)->state_ = name_seed(actor.name, seed);
    if (member.kind == Member::Kind::occupancy) {
      auto& occupancy = *reinterpret_cast<Occupancy*>(member.address);
      occupancy.actor_ = &actor;
      actor.occupancies.push_back(&occupancy);
    }
  }
}

std::unique_ptr<Channel> Wiring::connect(const Actors& actors, std::byte* from, std::byte* to,
                                         const ChannelOptions& options, int index, RingMemory& memory) {
  const FoundPort writer = find_port(actors, from);
  const FoundPort reader = find_port(actors, to);
  if (writer.actor == nullptr || reader.actor == nullptr)
    throw Error(
        fmt::format("connect: the {} port is of no actor of this graph", writer.actor == nullptr ? "output" : "input"));
  const auto name = port_name(writer) + " -> " + port_name(reader);
  if (*writer.port->type->type != *reader.port->type->type)
    throw Error(fmt::format("channel '{}': type mismatch: {} writes {}, {} reads {}", name, port_name(writer),
                            boost::core::demangle(writer.port->type->type->name()), port_name(reader),
                            boost::core::demangle(reader.port->type->type->name())));
  if (writer.port->channel != nullptr)
    throw Error(fmt::format("channel '{}': {} has two readers: it is connected as '{}'", name, port_name(writer),
                            writer.port->channel->name));
  if (reader.port->channel != nullptr)
    throw Error(fmt::format("channel '{}': {} has two writers: it is connected as '{}'", name, port_name(reader),
                            reader.port->channel->name));

  auto channel = std::make_unique<Channel>();
  channel->name = name;
  channel->index = index;
  channel->writer_port = reinterpret_cast<PortState*>(from);  // a port begins with its state
  channel->reader_port = reinterpret_cast<PortState*>(to);
  channel->writer = writer.actor;
  channel->reader = reader.actor;
  channel->synchroniser = synchroniser_cycles(*writer.actor, *reader.actor, options, name);
  channel->client_key = options.priority.value_or(-1);
  channel->forward = Crossing(writer.actor->grid, reader.actor->grid,
                              latency_ticks(*writer.actor, options.latency, options.latency_time, "latency", name),
                              channel->synchroniser);
  channel->back = Crossing(
      reader.actor->grid, writer.actor->grid,
      latency_ticks(*reader.actor, options.return_latency, options.return_latency_time, "return_latency", name),
      channel->synchroniser);
  make_ring(*channel, options.depth, *writer.port->type, memory);
  writer.actor->outputs.push_back(channel.get());
  reader.actor->inputs.push_back(channel.get());
  writer.port->channel = reader.port->channel = channel.get();
  return channel;
}

std::pair<const GraphActor*, std::string> Wiring::unused_port(const Actors& actors, const std::byte* port) {
  const FoundPort found = find_port(actors, port);
  if (found.actor == nullptr) throw Error("unused: the port is of no actor of this graph");
  const auto name = port_name(found);
  if (found.port->channel != nullptr)
    throw Error(fmt::format("unused: {} is connected as '{}'", name, found.port->channel->name));
  return {found.actor, name};
}

std::vector<std::string> Wiring::check(const Actors& actors, const Channels& channels) {
  if (actors.empty()) throw Error("a graph without actors: expected at least one");
  std::vector<std::string> warnings;
  const auto on_loop = on_loops(actors, channels);
  for (const auto& actor : actors) {
    for (auto& member : actor->members)
      if (is_port(member) && member.channel == nullptr)
        throw Error(fmt::format("{}.{} is not connected: expected a channel for every port", actor->name, member.name));
    if (actor->inputs.empty() && !actor->has_done && !actor->periodic)
      throw Error(
          fmt::format("{} has no input and no done(): it would never finish (say done(), or periodic)", actor->name));
    if (!actor->has_done && !actor->periodic && on_loop[static_cast<std::size_t>(actor->index)])
      warnings.push_back(
          fmt::format("{} has no done() and stands on a feedback loop: it waits for its own close", actor->name));
    actor->gate = actor->has_done || actor->inputs.empty() ? nullptr : actor->inputs.front()->reader_port;
  }
  for (const auto& channel : channels) {
    const auto needed = full_rate_depth(*channel);
    if (channel->depth < needed)
      warnings.push_back(fmt::format("channel '{}': depth {} cannot carry a token every cycle: {} can", channel->name,
                                     channel->depth, needed));
  }
  return warnings;
}

void Wiring::rank_clients(const Actors& actors, const Channels& channels) {
  std::vector<std::string> names;
  for (const auto& actor : actors) names.push_back(actor->name);
  std::sort(names.begin(), names.end(), natural_less);
  std::map<std::string, int> rank;
  for (std::size_t i = 0; i < names.size(); ++i) rank[names[i]] = static_cast<int>(i);
  for (const auto& channel : channels)
    if (channel->client_key < 0) channel->client_key = rank[channel->writer->name];
}

}  // namespace isthmus::engine
