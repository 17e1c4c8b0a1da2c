#include "isthmus/engine/graph.hpp"

#include <fmt/format.h>

#include <boost/core/demangle.hpp>

#include "isthmus/base/error.hpp"
#include "scheduler.hpp"
#include "wiring.hpp"

namespace isthmus {
namespace engine {
namespace {

thread_local Registration* current_registration = nullptr;

}  // namespace

Member::Member(Kind kind, const char* name, const TokenType* type, std::size_t size) {
  if (current_registration != nullptr)
    current_registration->add({kind, reinterpret_cast<std::byte*>(this), size, name, type});
}

PortRoom room_for_ports(std::int64_t count, std::size_t port_bytes) {
  if (count < 0) throw Error(fmt::format("an array of {} ports: expected 0 or more", count));
  if (current_registration == nullptr)
    throw Error(fmt::format("an array of {} ports: expected an actor that Graph::add constructs around it", count));
  return current_registration->make_room(static_cast<std::size_t>(count), port_bytes);
}

Registration::Registration(std::byte* begin, std::size_t size)
    : object_{begin, begin + size}, outer_(std::exchange(current_registration, this)) {}

Registration::~Registration() {
  current_registration = outer_;
}

void Registration::add(MemberRecord record) {
  const bool element = array_.holds(record.address);
  if (!element && !object_.holds(record.address)) return;
  if (element) record.element = elements_++;
  found_.push_back(std::move(record));
}

PortRoom Registration::make_room(std::size_t ports, std::size_t port_bytes) {
  const std::size_t bytes = ports * port_bytes;
  PortStorage array;
  array.bytes = bytes;
  array.ports.reset(new (std::align_val_t{64}) std::byte[bytes]);
  std::byte* begin = array.ports.get();
  array.silent = std::make_unique<SilentInputs>(begin, ports, port_bytes);
  array_ = {begin, begin + bytes};
  elements_ = 0;
  arrays_.push_back(std::move(array));
  return {begin, arrays_.back().silent.get()};
}

}  // namespace engine

Graph::Graph(std::uint64_t seed) : seed_(seed), rings_(std::make_unique<engine::RingMemory>()) {}
Graph::~Graph() = default;

void Graph::adopt(std::unique_ptr<engine::GraphActor> actor, const std::string& name, const ActorOptions& options) {
  actor->name = scope_ + name;
  if (!names_.insert(actor->name).second)
    throw Error(fmt::format("two actors are called '{}'{}: expected a name for each", actor->name,
                            scope_.empty() ? "" : fmt::format(", the later as '{}' in '{}'", name, scope_)));
  actor->group = options.group;
  actor->clock = options.clock;
  actor->set_clocked(options.clock.has_value());
  if (options.clock) actor->grid = Grid(*options.clock);
  if (options.clock) actor->pll = options.clock->pll;
  if (options.initiation_interval != 1) actor->initiation_interval = options.initiation_interval;
  if (actor->initiation_interval < 1)
    throw Error(fmt::format("{}: initiation interval {}: expected 1 or more", actor->name, actor->initiation_interval));
  actor->index = static_cast<int>(actors_.size());
  engine::Wiring::name_members(*actor);
  engine::Wiring::find_state(*actor);
  engine::Wiring::bind_members(*actor, seed_);
  const ActorId id{actors_.size()};
  note_extent(actor->object(), actor->object_size(), id);
  for (const engine::PortStorage& array : actor->port_arrays) note_extent(array.ports.get(), array.bytes, id);
  actors_.push_back(std::move(actor));
}

void Graph::note_extent(const std::byte* begin, std::size_t size, ActorId actor) {
  if (size > 0) extents_.emplace(begin, Extent{.size = size, .actor = actor});
}

ActorId Graph::holder(const std::byte* address) const {
  const auto found = extents_.lower_bound(address);  // the last that begins at or before it
  if (found == extents_.end() || !std::less{}(address, found->first + found->second.size))
    throw Error("id: expected an actor of this graph or a part of one");
  return found->second.actor;
}

ChannelOptions Graph::other_end(std::byte* port, std::unique_ptr<engine::GraphActor> end) {
  const auto [actor, name] = engine::Wiring::unused_port(actors_, port);
  const std::string scope = std::exchange(scope_, {});  // the name of the port has those of its own actor
  adopt(std::move(end), name + " (unused)", {.clock = actor->clock, .group = actor->group});
  scope_ = scope;
  if (actor->clock) return {};
  return {.depth = 64, .latency_time = Time::fs(1), .return_latency_time = Time::fs(1)};
}

void Graph::connect_ports(std::byte* from, std::byte* to, const ChannelOptions& options) {
  channels_.push_back(engine::Wiring::connect(actors_, from, to, options, static_cast<int>(channels_.size()), *rings_));
}

std::vector<std::string> Graph::check() {
  return engine::Wiring::check(actors_, channels_);
}

RunReport Graph::run(const RunOptions& options) {
  if (has_run_) throw Error("a graph runs once: build it again");
  auto warnings = check();
  has_run_ = true;
  engine::Wiring::rank_clients(actors_, channels_);
  std::vector<engine::Actor*> actors;
  actors.reserve(actors_.size());
  for (const auto& actor : actors_) actors.push_back(actor.get());
  std::vector<engine::Channel*> channels;
  channels.reserve(channels_.size());
  for (const auto& channel : channels_) channels.push_back(channel.get());
  engine::Scheduler scheduler(actors, channels, options, observer_);
  auto report = scheduler.run();
  for (auto& text : report.warnings) warnings.push_back(std::move(text));
  std::sort(warnings.begin(), warnings.end(), natural_less);
  report.warnings = std::move(warnings);
  if (report.outcome == Outcome::limit && options.limit == Time::max()) {
    report.outcome = Outcome::failed;
    report.message = "the run passed the end of time (2.56 hours)";
  }
  if (options.throw_on_error && report.outcome >= Outcome::stuck) throw Error(report.message);
  return report;
}

}  // namespace isthmus
