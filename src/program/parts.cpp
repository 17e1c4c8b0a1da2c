#include "program/parts.hpp"

#include <fmt/format.h>

#include "isthmus/platform/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {
namespace {

using platform::PartPlan;

std::string entries(const char* actor, const char* of) {
  return fmt::format("{}: {}", actor, of);
}

/// A host thread and the pool that it takes buffers from, or gives them back to.
PartPlan thread(const char* name) {
  return {.name = name, .keys = {"stream.library_call"}, .actors = {name}};
}

/// A buffer is under way from its thread to the device and back, twice by way of the porter.
PartPlan pool(const char* name, const char* key, const char* keeper) {
  return {.name = name,
          .keys = {key, "stream.buffer_size", "stream.porter_period", "link.pcie.round_trip", "host.mmio.store",
                   "stream.library_call"},
          .occupancies = {entries(keeper, name)},
          .counts = "buffers"};
}

/// Its loads of registers take the link's round trip without the part of it that is the host's memory.
PartPlan porter() {
  return {.name = "porter",
          .keys = {"stream.porter_period", "link.pcie.round_trip", "host.mmio.store", "host.memory.latency"},
          .occupancies = {entries(kPorter, kWaitingBuffers)}};
}

PartPlan requests(const char* actor) {
  return {
      .name = actor, .keys = {"stream.request_gap", "stream.request_size", "link.pcie.user_clock"}, .actors = {actor}};
}

std::vector<PartPlan> reading() {
  return {requests(kReadRequests),
          {.name = "requests in flight",
           .keys = {"stream.requests_in_flight", "stream.request_size", "link.pcie.round_trip"},
           .occupancies = {entries(kReadRequests, kBytesAskedFor)},
           .counts = "bytes"}};
}

void append(std::vector<PartPlan>& to, std::vector<PartPlan> plans) {
  to.insert(to.end(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
}

}  // namespace

std::vector<platform::Part> parts_of_stream(const platform::Description& board, const RunReport& report,
                                            const std::vector<std::string>& kernel) {
  std::vector<PartPlan> plans{thread(kProducer), pool(kInputBuffers, "stream.input_buffers", kProducer), porter()};
  append(plans, reading());
  append(plans, platform::parts_of_reads(platform::link_spec(board)));
  plans.push_back({.name = kReplyBuffer, .keys = {"link.pcie.user_clock"}, .actors = {kReplyBuffer}});
  for (const std::string& actor : kernel) plans.push_back({.name = actor, .keys = {"kernel.clock"}, .actors = {actor}});
  plans.push_back(requests(kWriteRequests));
  plans.push_back(pool(kOutputBuffers, "stream.output_buffers", kWriteRequests));
  append(plans, platform::parts_of_writes());
  plans.push_back(thread(kConsumer));
  return platform::parts_of(report, platform::on_board(std::move(plans), board));
}

}  // namespace isthmus::program
