#include "flows/stream/parts.hpp"

#include <algorithm>
#include <utility>

#include "isthmus/platform/link.hpp"

namespace isthmus::program {
namespace {

using platform::append;
using platform::PartPlan;

/// A host thread and the pool that it takes buffers from, or gives them back to.
PartPlan thread(const char* name, ActorId actor) {
  return {.name = name, .keys = {"stream.library_call"}, .actors = {actor}};
}

/// A buffer is under way from its thread to the device and back, twice by way of the porter.
PartPlan pool(const char* name, const char* key, ActorId keeper) {
  return {.name = name,
          .keys = {key, "stream.buffer_size", "stream.porter_period", "link.pcie.round_trip", "host.mmio.store",
                   "stream.library_call"},
          .occupancies = {{keeper, name}},
          .counts = "buffers"};
}

/// Its loads of registers take the link's round trip without the part of it that is the host's memory.
PartPlan porter(ActorId actor) {
  return {.name = "porter",
          .keys = {"stream.porter_period", "link.pcie.round_trip", "host.mmio.store", "host.memory.latency"},
          .occupancies = {{actor, kWaitingBuffers}}};
}

/// The way from the thread that fills messages to their words on the device.
std::vector<PartPlan> parts_from_host(const StreamActors& stream, ActorId producer) {
  const HostLinkActors& link = stream.link.actors();
  std::vector<PartPlan> plans{thread(kProducer, producer), pool(kInputBuffers, "stream.input_buffers", producer),
                              porter(link.porter)};
  plans.push_back(requests_part(kReadRequests, link.read_requests));
  plans.push_back(requests_in_flight("requests in flight", link.read_requests,
                                     {"stream.requests_in_flight", "stream.request_size", "link.pcie.round_trip"}));
  append(plans, platform::parts_of_reads({{.link = stream.pcie}}));
  plans.push_back({.name = kReplyBuffer, .keys = {"link.pcie.user_clock"}, .actors = {link.reply_buffer}});
  return plans;
}

}  // namespace

PartPlan requests_part(const std::string& name, ActorId actor) {
  return {
      .name = name, .keys = {"stream.request_gap", "stream.request_size", "link.pcie.user_clock"}, .actors = {actor}};
}

PartPlan requests_in_flight(const std::string& name, ActorId actor, std::vector<std::string> keys) {
  return {.name = name, .keys = std::move(keys), .occupancies = {{actor, kBytesAskedFor}}, .counts = "bytes"};
}

std::vector<platform::Part> parts_of_stream(const platform::Description& board, const RunReport& report,
                                            const StreamActors& stream) {
  const HostLinkActors& link = stream.link.actors();
  std::vector<PartPlan> plans = stream.storage;
  if (stream.producer) append(plans, parts_from_host(stream, *stream.producer));
  for (const ActorId actor : stream.kernel)
    plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
  append(plans, stream.memory);
  append(plans, stream.host);
  plans.push_back(requests_part(kWriteRequests, link.write_requests));
  plans.push_back(pool(kOutputBuffers, "stream.output_buffers", link.write_requests));
  append(plans, platform::parts_of_writes({{.link = stream.pcie}}));
  plans.push_back(thread(kConsumer, stream.consumer));
  return platform::parts_of(report, platform::on_board(std::move(plans), board));
}

std::vector<Stage> stages_of_stream(const RunReport& report, const StreamActors& stream) {
  Time busiest;
  for (const ActorId actor : stream.kernel) busiest = std::max(busiest, report.actor(actor).busy);
  const Stage in = stream.drive ? Stage{"storage to device", report.actor(*stream.drive).busy}
                                : Stage{"host to device", report.actor(stream.pcie.actors.to_device).busy};
  return {in, {"kernel", busiest}, {"device to host", report.actor(stream.pcie.actors.to_host).busy}};
}

}  // namespace isthmus::program
