#include "offload/model/coarse/coarse_device.hpp"

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/stream/arbiter.hpp"
#include "offload/model/coarse/launch.hpp"

namespace isthmus::offload::model {

CoarseDevice::CoarseDevice(std::size_t callers, const Loaded& loaded, Pace& pace, Spent spent)
    : calls(callers, "calls"), replies(callers, "replies"), loaded_(loaded), pace_(pace), spent_(std::move(spent)) {}

void CoarseDevice::step() {
  const auto caller = first_come(calls);
  if (!caller) return;
  TurnCall call{};
  calls[*caller].pull(call);
  if (timer_.now() < busy_until_)
    throw Error("commands of two queues are under way at once: expected a fine model, which alone follows them");
  const auto alone = carry_out(call.command == nullptr ? copy_of(call.bytes) : activity_of(*call.command), call);
  count(alone->spent);
  busy_until_ = timer_.now() + alone->time;
  replies[*caller].push({alone->time});
}

/// How long it takes is looked at while memory is as it finds it.
std::shared_ptr<const Alone> CoarseDevice::carry_out(Activity activity, const TurnCall& call) {
  activity.from = timer_.now();
  pace_.look_at(activity);
  return pace_.alone(activity, call.command == nullptr ? call.bytes : move_bytes(*call.command));
}

/// Returns what passes the ports of the unit that does it.
std::uint64_t CoarseDevice::move_bytes(const Command& command) {
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

void CoarseDevice::count(const Spent& spent) {
  for (const ActorReport& one : spent.actors) {
    const auto sum = std::ranges::find(spent_.actors, one.id, &ActorReport::id);
    if (sum == spent_.actors.end()) {
      spent_.actors.push_back(one);
      continue;
    }
    sum->busy += one.busy;
    sum->blocked += one.blocked;
  }
  for (const OccupancyReport& one : spent.occupancies) {
    const auto sum = std::ranges::find(spent_.occupancies, one.name, &OccupancyReport::name);
    if (sum == spent_.occupancies.end()) {
      spent_.occupancies.push_back(one);
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
  for (ActorReport actor : spent_.actors) {
    actor.id.place += ids;
    actor.lifetime = report.end;
    actor.starved = report.end - actor.busy - actor.blocked;
    report.actors.push_back(std::move(actor));
  }
  for (OccupancyReport entries : spent_.occupancies) {
    entries.actor.place += ids;
    report.occupancies.push_back(std::move(entries));
  }
  report.arrange();
}

}  // namespace isthmus::offload::model
