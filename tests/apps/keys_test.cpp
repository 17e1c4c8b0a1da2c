// Every number of a platform matters to some probe or flow.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>

#include "apps/experiments.hpp"
#include "apps/installed.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/probes/probe.hpp"
#include "isthmus/shared/queues/look_ahead.hpp"
#include "platform/usual_keys.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using testing::HasSubstr;

using Overrides = std::vector<std::string>;

constexpr const char* kToggled = "toggled";

/// A value of a key, and an experiment that it changes on each board, with `also` set in both runs.
struct Witness {
  std::string key;
  std::string value;
  std::string experiment;
  Overrides also{};
  std::string refused{};  ///< a part of the Error that the value ends the run with; empty: it runs, with another result
};

const Overrides kSlowMemory{"host.memory.transfer_rate=400MT/s"};
const Overrides kAllocates{"host.alloc.rate=2GB/s", "host.alloc.enabled=true"};
const Overrides kHypervisor{"hypervisor.cost=20us", "hypervisor.enabled=true"};
const Overrides kCached{"host.llc.enabled=true"};
// 20 KiB are written again and again, as many as this cache lets devices fill; the memory is slower than the link.
const Overrides kSmallCache{"host.llc.enabled=true",  "host.llc.size=31KiB", "host.llc.ways=48",
                            "host.llc.write_ways=32", "link.pcie.tags=5",    "host.memory.transfer_rate=400MT/s",
                            "host.memory.channels=1"};
const Overrides kFar{"host.numa.enabled=true"};
const Overrides kTranslated{"host.iommu.enabled=true"};
const Overrides kFewTranslations{"host.iommu.enabled=true", "host.iommu.entries=2", "host.iommu.ways=1",
                                 "host.iommu.walk_latency=2us"};
const Overrides kBankGroups{"device.dram.bank_groups=4"};
const Overrides kShortRows{"device.dram.row_size=512B"};
const Overrides kShortRowsOfGroups{"device.dram.row_size=512B", "device.dram.bank_groups=4"};

const std::vector<Witness>& witnesses() {
  static constexpr const char* kNoRoom = "the device's DRAM has no room";
  static const std::vector<Witness> kAll{
      {"link.pcie.generation", "2", "copies"},
      {"link.pcie.lanes", "4", "copies"},
      {"link.pcie.max_payload", "256B", "host reads"},
      {"link.pcie.max_read_request", "256B", "host reads"},
      {"link.pcie.read_completion_boundary", "128B", "host reads"},
      {"link.pcie.request_overhead", "48B", "host writes"},
      {"link.pcie.completion_overhead", "48B", "host reads"},
      {"link.pcie.dllp_size", "16B", "host writes"},
      {"link.pcie.ack_every", "1", "host writes"},
      {"link.pcie.update_fc_every", "1", "host writes", {"link.pcie.posted_header_credits=6"}},
      {"link.pcie.tags", "8", "host reads"},
      {"link.pcie.posted_header_credits", "4", "host writes"},
      {"link.pcie.posted_data_credits", "32", "host writes"},
      {"link.pcie.nonposted_header_credits", "1", "host reads"},
      {"link.pcie.flight", "50ns", "host writes", {"link.pcie.posted_header_credits=4"}},
      {"link.pcie.round_trip", "2us", "host reads"},
      {"link.pcie.user_width", "128bit", "host reads"},
      {"link.pcie.user_clock", "125MHz", "host reads"},
      {"host.memory.transfer_rate", "400MT/s", "host reads"},
      {"host.memory.data_width", "8bit", "host reads"},
      {"host.memory.channels", "1", "host reads", kSlowMemory},
      {"host.memory.interleave", "4KiB", "host reads", kSlowMemory},
      {"host.memory.latency", "140ns", "registers"},
      {"host.copy.cached_rate", "20GB/s", "copies", {"host.copy.cached_rate=10GB/s", "host.copy.cached_size=1MiB"}},
      {"host.copy.cached_size", "1MiB", "copies", {"host.copy.cached_rate=10GB/s", "host.copy.cached_size=64KiB"}},
      {"host.runtime.staging", "chunked", "copies", {"host.runtime.chunk=16KiB"}},
      {"host.runtime.chunk", "64KiB", "copies", {"host.runtime.staging=chunked", "host.runtime.chunk=16KiB"}},
      {"host.llc.enabled", kToggled, "host writes"},
      {"host.llc.size", "16KiB", "host writes", kSmallCache},
      {"host.llc.line", "256B", "host writes", kSmallCache},
      {"host.llc.ways", "64", "host writes", kSmallCache},
      {"host.llc.write_ways", "16", "host writes", kSmallCache},
      {"host.llc.hit_latency", "60ns", "host writes", kCached},
      {"host.llc.miss_latency", "200ns", "host reads", kCached},
      {"host.numa.enabled", kToggled, "host reads"},
      {"host.numa.distance", "2", "host reads", kFar},
      {"host.numa.rate", "1GB/s", "host reads", kFar},
      {"host.numa.latency", "150ns", "host reads", kFar},
      {"host.iommu.enabled", kToggled, "copies"},
      {"host.iommu.entries", "64", "host reads", kFewTranslations},
      {"host.iommu.ways", "2", "stream", kFewTranslations},
      {"host.iommu.page", "2MiB", "copies", kTranslated},
      {"host.iommu.walks", "1", "host reads", kFewTranslations},
      {"host.iommu.walk_latency", "1us", "copies", kTranslated},
      {"host.cores.core_to_core", "150ns", "copies"},
      {"host.copy.enabled", kToggled, "copies"},
      {"host.copy.rate", "1GB/s", "copies"},
      {"host.alloc.enabled", kToggled, "copies", {"host.alloc.rate=2GB/s"}},
      {"host.alloc.rate", "1GB/s", "copies", kAllocates},
      {"host.alloc.call", "50us", "copies", kAllocates},
      {"host.call.transfer", "300us", "copies"},
      {"host.call.enqueue", "15us", "copies"},
      {"host.call.wake", "40us", "launches"},
      {"host.mmio.payload", "32B", "registers"},
      {"host.mmio.register", "32bit", "registers"},
      {"host.mmio.store", "300ns", "registers"},
      {"hypervisor.enabled", kToggled, "copies", {"hypervisor.cost=20us"}},
      {"hypervisor.cost", "40us", "copies", kHypervisor},
      {"dma.rate", "1GB/s", "copies"},
      {"dma.descriptor_size", "256B", "copies"},
      {"dma.descriptor_payload", "256B", "copies"},
      {"dma.descriptors_in_flight", "2", "copies"},
      {"dma.interrupt", "64", "copies"},
      {"device.dram.capacity", "16MiB", "allocation", {}, kNoRoom},
      {"device.dram.channels", "4", "allocation", {"device.dram.capacity=16MiB", "device.dram.channels=1"}, kNoRoom},
      {"device.dram.kernel_channels", "2", "offload"},
      {"device.dram.transfer_rate", "800MT/s", "memory"},
      {"device.dram.data_width", "32bit", "memory"},
      {"device.dram.burst_length", "4", "memory"},
      {"device.dram.bank_groups", "2", "memory"},
      {"device.dram.banks", "2", "memory"},
      {"device.dram.row_size", "2KiB", "memory"},
      {"device.dram.CL", "8", "offload"},
      {"device.dram.CWL", "16", "offload"},
      {"device.dram.tRCD", "30ns", "memory", kShortRows},
      {"device.dram.tRP", "30ns", "memory", kShortRows},
      {"device.dram.tRAS", "90ns", "memory", kShortRows},
      {"device.dram.tRTP", "60ns", "memory", kShortRows},
      {"device.dram.tWR", "60ns", "memory", kShortRows},
      {"device.dram.tCCD_S", "12", "memory", kBankGroups},
      {"device.dram.tCCD_L", "15ns", "memory"},
      {"device.dram.tRRD_S", "40ns", "memory", kShortRowsOfGroups},
      {"device.dram.tRRD_L", "60ns", "memory", kShortRows},
      {"device.dram.tFAW", "300ns", "memory", kShortRows},
      {"device.dram.tWTR_S", "60ns", "offload", kBankGroups},
      {"device.dram.tWTR_L", "80ns", "offload"},
      {"device.dram.turnaround", "20", "offload"},
      {"device.dram.tREFI", "3us", "memory"},
      {"device.dram.tRFC", "900ns", "memory"},
      {"device.dram.read_group", "32", "offload"},
      {"device.dram.write_group", "32", "offload"},
      {"device.dram.queue_depth", "16", "memory", kShortRows},
      {"device.dram.idle_latency", "400ns", "memory"},
      {"device.axi.data_width", "128bit", "memory"},
      {"device.axi.clock", "100MHz", "memory"},
      {"device.axi.burst", "2", "memory"},
      {"device.axi.outstanding", "2", "memory"},
      {"device.axi.latency", "800ns", "memory"},
      {"device.onchip.capacity", "1KiB", "offload", {}, "to fit the on-chip memory"},
      {"device.onchip.latency", "40", "offload"},
      {"kernel.clock", "40MHz", "offload"},
      {"kernel.launch", "100us", "launches"},
      {"stream.request_size", "256B", "stream"},
      {"stream.requests_in_flight", "1", "stream"},
      {"stream.request_gap", "64", "stream"},
      {"stream.buffer_size", "16KiB", "stream"},
      {"stream.input_buffers", "1", "stream"},
      {"stream.output_buffers", "1", "stream"},
      {"stream.library_call", "5us", "stream"},
      {"stream.porter_period", "40us", "stream"},
  };
  return kAll;
}

/// The keys of boards whose circuits share the host's memory: a probe tells of each of them, on the board named.
const std::vector<Witness>& shared_witnesses() {
  static const Overrides kFewPages{"translation.page=4KiB", "translation.entries=64"};
  static constexpr const char* kOneChannel = "model:xeon-fpga-v1";
  static constexpr const char* kChannels = "model:xeon-fpga-v2";
  static constexpr const char* kCapi = "model:ibm-capi";
  static const Overrides kManyInFlight{"cache.reads_in_flight=200", "cache.writes_in_flight=400"};
  static const std::vector<Witness> kAll{
      {"link.qpi.round_trip", "400ns", kOneChannel},
      {"link.capi.generation", "2", kCapi, kManyInFlight},
      {"link.capi.lanes", "4", kCapi, kManyInFlight},
      {"link.capi.request_overhead", "64B", kCapi, {"link.capi.lanes=1", "cache.size=4KiB"}},
      {"link.capi.completion_overhead", "64B", kCapi, {"link.capi.lanes=1"}},
      {"link.capi.round_trip", "2us", kCapi},
      {"link.qpi.directory", kToggled, kOneChannel},
      {"host.llc.allocate_on_device_read", kToggled, kOneChannel},
      {"host.memory.capacity", "16KiB", kOneChannel, {}, "(host.memory.capacity)"},
      {"translation.enabled", kToggled, kOneChannel},
      {"translation.pageable", "false", kCapi},
      {"translation.held", "1", kCapi, {"translation.page=4KiB"}},
      {"translation.walk_latency", "5us", kCapi},
      {"translation.entries", "4", kOneChannel, kFewPages, "(translation.entries, translation.page)"},
      {"translation.page", "4KiB", kOneChannel, {"translation.entries=4"}, "(translation.entries, translation.page)"},
      {"translation.latency", "8", kOneChannel},
      {"cache.size", "4KiB", kOneChannel},
      {"cache.line", "128B", kOneChannel, {}, "as cache.line"},
      {"cache.ways", "2", kOneChannel, {"cache.size=16KiB"}},
      {"cache.clock", "400MHz", kOneChannel},
      {"cache.ports", "2", kOneChannel},
      {"cache.interval", "2", kOneChannel},
      {"cache.access", "9", kOneChannel},
      {"cache.reads_in_flight", "4", kOneChannel},
      {"cache.writes_in_flight", "4", kOneChannel},
      {"reordering.read", "6", kOneChannel},
      {"reordering.write", "6", kOneChannel},
      {"queue.depth", "4", kChannels},
      {"va.round_robin", "true", kChannels},
  };
  return kAll;
}

/// The keys of a board with a network: packets that pass it tell of each of them.
const std::vector<Witness>& network_witnesses() {
  static constexpr const char* kPast = "stream";
  static constexpr const char* kThrough = "offload";
  static const std::vector<Witness> kAll{
      {"network.rate", "10Gbit/s", kPast},        {"network.latency", "5us", kPast},
      {"network.overhead", "64B", kPast},         {"network.least", "256B", kPast},
      {"host.network.latency", "40us", kThrough}, {"host.network.cores", "1", kThrough},
      {"host.network.packet", "5us", kThrough},
  };
  return kAll;
}

/// The keys of a drive: rows that are read from it tell of each of them, by the board and by its host.
const std::vector<Witness>& storage_witnesses() {
  static const std::vector<Witness> kAll{
      {"storage.queue_depth", "1", "stream"},
      {"storage.read_latency", "40us", "offload"},
      {"storage.read_rate", "1GB/s", "stream"},
      {"storage.read_size", "4KiB", "offload"},
  };
  return kAll;
}
constexpr const char* kCopies = "copies";
constexpr const char* kTransposes = "transposes";
constexpr const char* kMaintains = "maintains";

/// The keys of a processor and an FPGA on one chip: probes of its ports and its cores tell of each of them.
const std::vector<Witness>& chip_witnesses() {
  static constexpr const char* kPorts = "ports";
  static const Overrides kSmall{"cpu.l2.size=32KiB"};
  static const std::vector<Witness> kAll{
      {"cpu.clock", "600MHz", kCopies},
      {"cpu.cores", "2", kMaintains},
      {"cpu.uncached_stores", "2", kTransposes},
      {"cpu.copy_cycles", "20", kCopies},
      {"cpu.element_cycles", "20", kTransposes},
      {"cpu.l2.size", "32KiB", kPorts},
      {"cpu.l2.line", "128B", kPorts},
      {"cpu.l2.ways", "2", kPorts, {"cpu.l2.size=32KiB", "cpu.l2.random_replacement=true"}},
      {"cpu.l2.latency", "60", kCopies},
      {"cpu.l2.in_flight", "1", kPorts},
      {"cpu.l2.random_replacement", kToggled, kPorts, kSmall},
      {"cpu.l2.fetch_on_write", kToggled, kPorts},
      {"cpu.prefetch.enabled", kToggled, kCopies, kSmall},
      {"cpu.prefetch.streams", "1", "difference-of-gaussian"},
      {"cpu.prefetch.trigger", "32", kCopies, kSmall},
      {"cpu.prefetch.lines", "1", kCopies, kSmall},
      {"cpu.write_stream.enabled", kToggled, kPorts},
      {"cpu.write_stream.threshold", "16", kPorts},
      {"cpu.maintenance.enabled", kToggled, kPorts},
      {"cpu.maintenance.line_cycles", "40", kMaintains},
      {"engines.filter_pixels", "1", "difference-of-gaussian"},
      {"engines.gemm_multiplies", "1", "sgemm"},
      {"engines.dnn_multiplies", "1", "alexnet"},
      {"engines.register_access", "1us", "sgemm"},
      {"interconnect.latency", "200ns", kPorts},
      {"interconnect.snoop_interval", "50ns", kPorts},
      {"interconnect.snoop_data", "400ns", kPorts},
      {"interconnect.snoop_data_in_flight", "1", kPorts},
      {"port.hp.width", "64bit", kPorts},
      {"port.hp.clock", "150MHz", kPorts},
      {"port.hp.burst", "4", kPorts},
      {"port.hp.outstanding", "1", kPorts},
      {"port.hp.latency", "200ns", kPorts},
      {"port.hpc.width", "64bit", kPorts},
      {"port.hpc.clock", "150MHz", kPorts},
      {"port.hpc.burst", "4", kPorts},
      {"port.hpc.outstanding", "1", kPorts},
      {"port.hpc.latency", "200ns", kPorts},
      {"port.hpc.snoop", kToggled, kPorts},
      {"port.acp.width", "64bit", kPorts},
      {"port.acp.clock", "150MHz", kPorts},
      {"port.acp.outstanding", "1", kPorts},
      {"port.acp.latency", "200ns", kPorts},
  };
  return kAll;
}

/// How long a run takes, and its first message, as text.
std::string messages_outcome(const program::Job& what, const std::string& board, const Overrides& overrides) {
  const program::Run run = program::open_target(board, overrides)->run(what);
  return fmt::format("{} {}", run.times.elapsed.femtoseconds(), run.times.latencies.front().femtoseconds());
}

std::string packets_outcome(const std::string& flow, const Overrides& overrides) {
  const auto packets = installed("packet-encryption", {{"packet_size", std::int64_t{64}}});
  packets.extras.open({.count = 8, .seed = 1});
  return messages_outcome({.application = packets, .flow = flow, .count = 8}, "model:stratix-v", overrides);
}

std::string rows_outcome(const std::string& flow, const Overrides& overrides) {
  const auto rows = installed("table-select", {{"selectivity", 0.1}});
  rows.extras.open({.count = 3, .seed = 1});
  return messages_outcome({.application = rows, .flow = flow, .count = 3}, "model:aws-f1", overrides);
}

/// How long a small message takes an application that shares buffers with a processor.
std::string shared_buffers_outcome(const std::string& name, const Overrides& overrides) {
  Chosen chosen;
  if (name == "sgemm") chosen["size"] = std::int64_t{128};
  if (name == "alexnet") chosen["layers"] = std::int64_t{1};
  const program::ByteApplication application = installed(name, chosen);
  if (application.extras.open) application.extras.open({.count = 1, .seed = 1});
  const std::vector<soc::Method> methods(application.extras.buffers.size(), soc::Method::hpc);
  const program::Run run =
      program::open_target("model:zynq-ultrascale", overrides)
          ->run({.application = application, .flow = "shared", .count = 1, .choice = {.methods = methods}});
  return fmt::format("{} fs", run.times.elapsed.femtoseconds());
}

/// What the probes of ports, or of a core's copies, tell.
std::string chip_outcome(const std::string& experiment, const Overrides& overrides) {
  std::string all;
  const auto ask = [&](const char* name, const std::vector<std::string>& states) {
    const probes::Job job{.target = "model:zynq-ultrascale",
                          .overrides = overrides,
                          .states = states,
                          .loads = {experiment == kMaintains ? 1 : 0},
                          .sizes = {{64 * 1024}}};
    probes::Target target(job);
    const auto probe = std::ranges::find(probes::all_probes(), name, &probes::Probe::name);
    probe->run(job, target, [&all](const probes::Finding& finding) {
      for (const Time time : finding.times) all += fmt::format("{} fs\n", time.femtoseconds());
      if (finding.verified) all += *finding.verified ? "right\n" : "stale\n";
    });
  };
  if (experiment == kCopies)
    ask("memcpy", {});
  else if (experiment == kTransposes)
    ask("transpose", {});
  else if (experiment == kMaintains)
    ask("maintenance", {});
  else if (experiment != "ports")
    all = shared_buffers_outcome(experiment, overrides);
  else
    for (const char* name : {"port-tx", "port-rx"}) ask(name, {"written", "flushed", "streamed"});
  return all;
}

/// How long lines take to come to a core whose circuit fetches them ahead.
std::string ahead_of_a_core(const std::string& board, const Overrides& overrides) {
  const std::vector<std::byte> data(1024);
  const std::vector<std::uint32_t> lines{3, 1, 0, 2};
  const platform::Description described = platform::load(platform::file_of(board), overrides);
  const queues::LookAheadRun run =
      queues::LookAheadBoard(described, data)
          .run({.hand_over = queues::HandOver::mmio, .work = Time::ns(500), .reach = data.size(), .lines = lines});
  return fmt::format("{} fs\n", run.elapsed.femtoseconds());
}

/// What the probes of shared memory tell, and look-ahead, as text.
std::string shared_outcome(const std::string& board, const Overrides& overrides) {
  std::string all;
  const auto ask = [&](const char* name, const std::vector<std::string>& starts) {
    const probes::Job job{
        .target = board, .overrides = overrides, .starts = starts, .sizes = {{1024}, {20 * 1024}}, .samples = 1};
    probes::Target target(job);
    const auto probe = std::ranges::find(probes::all_probes(), name, &probes::Probe::name);
    probe->run(job, target, [&all](const probes::Finding& finding) {
      for (const Time time : finding.times) all += fmt::format("{} fs\n", time.femtoseconds());
    });
  };
  for (const char* name : {"cache-hit", "cache-miss"}) ask(name, {});
  for (const char* name : {"shared-read", "shared-write"}) ask(name, {"warm", "flushed"});
  return all + ahead_of_a_core(board, overrides);
}

class Keys : public testing::TestWithParam<const char*> {};

TEST(Keys, EachHasItsWitness) {
  std::set<std::string, std::less<>> told;
  for (const auto& all : {witnesses(), shared_witnesses(), network_witnesses(), storage_witnesses(), chip_witnesses()})
    for (const Witness& witness : all) EXPECT_TRUE(told.insert(witness.key).second) << witness.key;
  const auto keys = platform::testing::usual_keys();
  for (const std::string& key : keys) EXPECT_TRUE(told.contains(key)) << key;
  EXPECT_EQ(told.size(), keys.size());
}

/// What an experiment gives; none where it ends with an Error, of whom only that is expected which the witness names.
template <class Outcome>
std::optional<std::string> outcome_of(const Witness& witness, const Overrides& overrides, const Outcome& outcome) {
  try {
    return outcome(witness.experiment, overrides);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(witness.refused));
    EXPECT_FALSE(witness.refused.empty())
        << overrides.back() << " breaks " << witness.experiment << ": " << error.what();
    return {};
  }
}

/// Each changes what its experiment gives, or ends it with the Error that its witness names.
template <class Outcome>
void expect_told(const std::vector<Witness>& all, const std::string& board, const Outcome& outcome) {
  for (const Witness& witness : all) {
    std::string value = witness.value;
    if (value == kToggled) {
      const std::string on = board.empty() ? witness.experiment : board;
      value = platform::load(platform::file_of(on), witness.also).flag(witness.key) ? "false" : "true";
    }
    Overrides changed = witness.also;
    changed.push_back(fmt::format("{}={}", witness.key, value));
    const std::optional<std::string> after = outcome_of(witness, changed, outcome);
    EXPECT_EQ(after.has_value(), witness.refused.empty()) << changed.back();
    EXPECT_NE(outcome(witness.experiment, witness.also), after)
        << changed.back() << " changes nothing of " << witness.experiment;
  }
}

TEST_P(Keys, ChangesWhatItsWitnessTells) {
  expect_told(witnesses(), GetParam(), [](const std::string& experiment, const Overrides& overrides) {
    return experiments().at(experiment)({.target = GetParam(), .overrides = overrides});
  });
}

TEST(Keys, OfSharedMemoryChangeWhatItsProbesTell) {
  expect_told(shared_witnesses(), "", shared_outcome);
}

TEST(Keys, OfANetworkChangeWhatPacketsTell) {
  expect_told(network_witnesses(), "model:stratix-v", packets_outcome);
}

TEST(Keys, OfADriveChangeWhatRowsOfItTell) {
  expect_told(storage_witnesses(), "model:aws-f1", rows_outcome);
}

TEST(Keys, OfAProcessorOnTheChipChangeWhatItsProbesTell) {
  expect_told(chip_witnesses(), "model:zynq-ultrascale", chip_outcome);
}

INSTANTIATE_TEST_SUITE_P(Boards, Keys, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

}  // namespace
}  // namespace isthmus::apps
