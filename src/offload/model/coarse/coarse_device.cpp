#include "offload/model/coarse/coarse_device.hpp"

#include <algorithm>

#include "isthmus/stream/arbiter.hpp"
#include "offload/model/coarse/launch.hpp"

namespace isthmus::offload::model {
namespace {

/// An activity has ended when so much of it is left: callers come ever closer to the end of what others slow down.
constexpr double kNothing = 1e-6;

/// Samples of what does not go on at all would let a run last for ever.
constexpr double kSlowest = 1e-3;

}  // namespace

CoarseDevice::CoarseDevice(std::size_t callers, const Loaded& loaded, Pace& pace)
    : calls(callers, "calls"), replies(callers, "replies"), loaded_(loaded), pace_(pace) {}

void CoarseDevice::step() {
  const auto caller = first_come(calls);
  if (!caller) return;
  TurnCall call{};
  calls[*caller].pull(call);
  advance();
  const Place place = call.kind == TurnCall::Kind::left ? std::ranges::find(under_way_, *caller, &UnderWay::caller)
                                                        : begin(*caller, call);
  const bool over = place->left <= kNothing * place->alone->time.seconds();
  replies[*caller].push({over ? Time{} : std::max(Time::fs(1), Time::seconds(place->left))});
  if (over) end(place);
}

CoarseDevice::Place CoarseDevice::begin(std::size_t caller, const TurnCall& call) {
  const bool copy = call.kind == TurnCall::Kind::copy;
  UnderWay one{.caller = caller,
               .activity = copy ? copy_of(call.bytes) : activity_of(*call.command),
               .alone = nullptr,
               .left = 0};
  one.activity.from = timer_.now();
  pace_.look_at(one.activity);
  one.alone = pace_.alone(one.activity, copy ? call.bytes : carry_out(*call.command));
  one.left = one.alone->time.seconds();
  under_way_.push_back(std::move(one));
  under_way_.back().left += pace_.delay_of_last(activities());
  set_speeds();
  return under_way_.end() - 1;
}

/// Returns what passes the ports of the unit that does it.
std::uint64_t CoarseDevice::carry_out(const Command& command) {
  switch (command.work) {
    case DeviceWork::to_device:
      loaded_.memory.cells(command.device.channel).write(command.device.byte, command.from);
      break;
    case DeviceWork::to_host:
      loaded_.memory.cells(command.device.channel).read(command.device.byte, command.to);
      break;
    case DeviceWork::kernel:
      return launch_at_once(loaded_, loaded_.units().kernel_of(command.unit), command.call);
  }
  return command.bytes;
}

void CoarseDevice::advance() {
  const Time now = timer_.now();
  const double passed = (now - advanced_to_).seconds();
  for (UnderWay& one : under_way_) one.left -= passed * one.speed;
  advanced_to_ = now;
}

std::vector<Activity> CoarseDevice::activities() const {
  std::vector<Activity> all;
  all.reserve(under_way_.size());
  for (const UnderWay& one : under_way_) all.push_back(one.activity);
  return all;
}

void CoarseDevice::set_speeds() {
  const std::vector<double> speeds = pace_.together(activities());
  for (std::size_t i = 0; i < speeds.size(); ++i) under_way_[i].speed = std::clamp(speeds[i], kSlowest, 1.0);
}

void CoarseDevice::end(Place place) {
  const double took = (timer_.now() - place->activity.from).seconds();
  count(*place, std::max(1.0, took / place->alone->time.seconds()));
  under_way_.erase(place);
  set_speeds();
}

/// Work is the same however long it takes; entries are taken for as much longer.
void CoarseDevice::count(const UnderWay& ended, double stretch) {
  const Alone& alone = *ended.alone;
  for (const ActorReport& one : alone.spent.actors) {
    const auto sum = std::ranges::find(actors_, one.id, &ActorReport::id);
    if (sum == actors_.end()) {
      actors_.push_back(one);
      continue;
    }
    sum->busy += one.busy;
    sum->blocked += one.blocked;
  }
  for (OccupancyReport one : alone.spent.occupancies) {
    one.full = Time::seconds(one.full.seconds() * stretch);
    one.round_trip = Time::seconds(one.round_trip.seconds() * stretch);
    const auto sum = std::ranges::find(occupancies_, one.name, &OccupancyReport::name);
    if (sum == occupancies_.end()) {
      occupancies_.push_back(one);
      continue;
    }
    const auto under_way = static_cast<double>(sum->taken) * sum->round_trip.seconds() +
                           static_cast<double>(one.taken) * one.round_trip.seconds();
    sum->taken += one.taken;
    sum->full += one.full;
    if (sum->taken > 0) sum->round_trip = Time::seconds(under_way / static_cast<double>(sum->taken));
  }
}

void CoarseDevice::add_to(RunReport& report, std::size_t ids) const {
  for (ActorReport actor : actors_) {
    actor.id.place += ids;
    actor.lifetime = report.end;
    actor.starved = report.end - actor.busy - actor.blocked;
    report.actors.push_back(std::move(actor));
  }
  for (OccupancyReport entries : occupancies_) {
    entries.actor.place += ids;
    report.occupancies.push_back(std::move(entries));
  }
  report.arrange();
}

}  // namespace isthmus::offload::model
