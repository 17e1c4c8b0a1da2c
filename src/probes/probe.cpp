#include "isthmus/probes/probe.hpp"

#include <array>

#include "isthmus/offload/model.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/platform/soc_board.hpp"
#include "isthmus/shared/machine.hpp"
#include "probes/chips.hpp"
#include "probes/device_probes.hpp"
#include "probes/shared.hpp"
#include "probes/streams.hpp"

namespace isthmus::probes {
namespace {

namespace needs = offload::needs;

constexpr std::string_view kOneBurst = "sizes of at least one of --burst";

constexpr std::array kLine{kCacheLine};
/// Line sizes of the caches of boards with shared memory.
constexpr std::array kSharedLines{kCacheLine, Bytes{fabric::kMostLine}};
constexpr std::int64_t kMostLooped = 65535 * kCacheLine.count;  // gemieux2018 figures 6 and 7
constexpr std::array kNothing{Bytes{0}};
constexpr std::array<std::string_view, 1> kTakesBurst{"--burst"};
constexpr std::array<std::string_view, 1> kTakesOffset{"--offset"};
constexpr std::array<std::string_view, 1> kTakesStart{"--start"};
constexpr std::array<std::string_view, 2> kTakesRequests{"--burst", "--start"};
constexpr std::array<std::string_view, 3> kTakesPorts{"--port", "--state", "--offset"};
constexpr std::array<std::string_view, 4> kTakesMaintenance{"--op", "--buffers", "--load", "--offset"};
constexpr CrossedParts kStaged{.name = "staged copies", .needs = needs::kCopies};
constexpr CrossedParts kPinned{.name = "pinned copies", .needs = needs::kCopies};
constexpr CrossedParts kStreams{.name = "streams", .needs = platform::kStreamNeeds, .on_models_alone = true};
constexpr CrossedParts kRegisters{.name = "registers", .needs = needs::kRegisters, .on_models_alone = true};
constexpr CrossedParts kHostMemory{.name = "host memory", .needs = needs::kHostAccess, .on_models_alone = true};
constexpr CrossedParts kDeviceMemory{.name = "device memory", .needs = needs::kKernels, .of_a_link = false};
constexpr CrossedParts kLaunches{.name = "launches", .needs = needs::kLaunches};

/// Memory that the CPU's caches are coherent with, from a circuit; no link of the board is chosen, and no real device
/// offers it.
constexpr CrossedParts of_caches(std::string_view name, platform::Needs needs) {
  return {.name = name, .needs = needs, .on_models_alone = true, .of_a_link = false};
}
constexpr CrossedParts kShared = of_caches("shared memory", platform::kSharedNeeds);
constexpr CrossedParts kSharedMachine = of_caches("shared memory", platform::kSharedMachineNeeds);
constexpr CrossedParts kPorts = of_caches("processor's memory", platform::kSocNeeds);
constexpr std::string_view kWholeWords = "multiples of 64 B up to 1 GiB";

constexpr std::array kProbes = std::to_array<Probe>({
    {.name = "h2d",
     .meaning = "host to device, pageable memory, no allocation",
     .crosses = kStaged,
     .run = copies_by_size<Direction::to_device, HostSide::pageable>,
     .curve = true,
     .in_study = true,
     .calibration = Calibration::fitted},
    {.name = "d2h",
     .meaning = "device to host, pageable memory, no allocation",
     .crosses = kStaged,
     .run = copies_by_size<Direction::to_host, HostSide::pageable>,
     .curve = true,
     .in_study = true,
     .calibration = Calibration::fitted},
    {.name = "h2d-pinned",
     .meaning = "host to device, pinned memory",
     .crosses = kPinned,
     .run = copies_by_size<Direction::to_device, HostSide::pinned>,
     .curve = true,
     .in_study = true,
     .calibration = Calibration::fitted},
    {.name = "d2h-pinned",
     .meaning = "device to host, pinned memory",
     .crosses = kPinned,
     .run = copies_by_size<Direction::to_host, HostSide::pinned>,
     .curve = true,
     .in_study = true,
     .calibration = Calibration::fitted},
    {.name = "h2d-alloc",
     .meaning = "host to device, pageable memory, allocation of the buffer included",
     .crosses = kStaged,
     .run = copies_by_size<Direction::to_device, HostSide::fresh>,
     .curve = true,
     .in_study = true,
     .calibration = Calibration::fitted},
    {.name = "duplex",
     .meaning = "both directions at once, their sum, pinned memory",
     .crosses = kPinned,
     .run = duplex,
     .curve = true,
     .calibration = Calibration::compared},
    {.name = "stream-in",
     .meaning = "messages stream to a circuit through pools of pinned buffers",
     .crosses = kStreams,
     .run = streams_in,
     .curve = true,
     .looks_at = {.multiples_of = kWordBytes, .most = kMostStreamed},
     .sizes = kWholeWords},
    {.name = "stream-out",
     .meaning = "messages stream from a circuit through pools of pinned buffers",
     .crosses = kStreams,
     .run = streams_out,
     .curve = true,
     .looks_at = {.multiples_of = kWordBytes, .most = kMostStreamed},
     .sizes = kWholeWords},
    {.name = "stream-both",
     .meaning = "messages stream through a circuit and back, the sum of both directions",
     .crosses = kStreams,
     .run = streams_both,
     .curve = true,
     .looks_at = {.multiples_of = kWordBytes, .most = kMostStreamed},
     .sizes = kWholeWords},
    {.name = "latency",
     .meaning = "a 64-byte copy to the device, from call to return",
     .crosses = kStaged,
     .run = cache_line,
     .latency = true,
     .in_study = true,
     .calibration = Calibration::fitted,
     .looks_at = {.own = kLine}},
    {.name = "mmio-store",
     .meaning = "stores of 4, 8 and 64 bytes to registers, with and without write combining",
     .crosses = kRegisters,
     .run = stores,
     .looks_at = {.own = kAccessSizes}},
    {.name = "mmio-load",
     .meaning = "loads of 4, 8 and 64 bytes from registers",
     .crosses = kRegisters,
     .run = loads,
     .latency = true,
     .looks_at = {.own = kAccessSizes}},
    {.name = "device-read",
     .meaning = "a kernel reads device memory",
     .crosses = kDeviceMemory,
     .run = memory<Access::read>,
     .takes = kTakesBurst,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "device-write",
     .meaning = "a kernel writes device memory",
     .crosses = kDeviceMemory,
     .run = memory<Access::write>,
     .takes = kTakesBurst,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "device-latency",
     .meaning =
         "the device reads and writes host memory by itself, one access at a time and as many as the link's tags allow",
     .crosses = kHostMemory,
     .run = device_latency,
     .takes = kTakesOffset,
     .latency = true,
     .looks_at = {.multiples_of = kWordBytes, .most = kPage},
     .sizes = "multiples of 64 B that end, with --offset, within 4 KiB"},
    {.name = "launch",
     .meaning = "an empty kernel, from enqueue to the return of the wait for it",
     .crosses = kLaunches,
     .run = empty_launches,
     .latency = true,
     .in_study = true,
     .calibration = Calibration::fitted,
     .looks_at = {.own = kNothing}},
    {.name = "cache-hit",
     .meaning = "a circuit reads and writes lines that the FPGA's coherent cache holds, one at a time, by phases",
     .crosses = kShared,
     .run = cache_hits,
     .takes = kTakesStart,
     .latency = true,
     .looks_at = {.own = kSharedLines}},
    {.name = "cache-miss",
     .meaning = "a circuit reads and writes lines that it does not hold, one at a time, by phases",
     .crosses = kShared,
     .run = cache_misses,
     .takes = kTakesStart,
     .latency = true,
     .looks_at = {.own = kSharedLines}},
    {.name = "loopback",
     .meaning = "lines that a circuit or a core writes, the other copies, and the first reads and compares",
     .crosses = kShared,
     .run = loopbacks,
     .latency = true,
     .curve = true,
     .looks_at = {.multiples_of = kCacheLine.count, .most = kMostLooped},
     .sizes = "1 to 65535 lines"},
    {.name = "pointer-walk",
     .meaning = "a circuit follows the pointers of a list, and of a hash table, that the CPU has built in its memory",
     .crosses = kSharedMachine,
     .run = pointer_walks,
     .takes = kTakesStart,
     .latency = true,
     .curve = true},
    {.name = "shared-read",
     .meaning = "a circuit reads the host's memory through the coherent cache",
     .crosses = kShared,
     .run = shared_reads,
     .takes = kTakesRequests,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "shared-write",
     .meaning = "a circuit writes the host's memory through the coherent cache",
     .crosses = kShared,
     .run = shared_writes,
     .takes = kTakesRequests,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "port-tx",
     .meaning = "the FPGA reads a buffer of the processor through one of its ports, no cost of software",
     .crosses = kPorts,
     .run = port_sends,
     .takes = kTakesPorts,
     .curve = true},
    {.name = "port-rx",
     .meaning = "the FPGA writes a buffer of the processor through one of its ports, no cost of software",
     .crosses = kPorts,
     .run = port_receives,
     .takes = kTakesPorts,
     .curve = true},
    {.name = "memcpy",
     .meaning = "a core copies between cacheable and non-cacheable memory",
     .crosses = kPorts,
     .run = core_copies,
     .takes = kTakesOffset,
     .curve = true},
    {.name = "transpose",
     .meaning = "a core transposes a square matrix of 4 B elements into cacheable and non-cacheable memory",
     .crosses = kPorts,
     .run = transposes,
     .takes = kTakesOffset,
     .curve = true,
     .sizes = "squares of 4 B elements"},
    {.name = "maintenance",
     .meaning = "a core flushes or invalidates what caches have of buffers, with a barrier behind each",
     .crosses = kPorts,
     .run = maintenance,
     .takes = kTakesMaintenance,
     .curve = true},
    {.name = "steps",
     .meaning = "the five steps from the advertised to the end-to-end rate (Choi et al., TRETS 2019, figure 5)",
     .crosses = kStaged,
     .run = steps,
     .in_study = true},
});

/// A model is probed link by link: over the one that is named, else over the first.
std::string channel_of(const Job& job) {
  if (!platform::is_model(job.target) || !job.channel.empty()) return job.channel;
  const auto channels = platform::load(platform::file_of(job.target), job.overrides).channels();
  return channels.empty() ? std::string() : channels.front();
}

}  // namespace

offload::Device& Target::open() {
  if (!device_ || device_->properties().modelled)
    device_ = offload::open_device(job_.target, job_.overrides, memory_kernels(),
                                   {.channel = channel_of(job_), .grain = job_.grain});
  return *device_;
}

std::optional<platform::Grain> Target::grain() const {
  const auto* model = dynamic_cast<const offload::ModelDevice*>(device_.get());
  if (model == nullptr) return {};
  return model->grain();
}

std::optional<Time> Target::host_waited() const {
  const auto* model = dynamic_cast<const offload::ModelDevice*>(device_.get());
  if (model == nullptr) return {};
  return model->last_run() - model->host_work();
}

std::span<const Probe> all_probes() {
  return kProbes;
}

}  // namespace isthmus::probes
