#include "isthmus/probes/probe.hpp"

#include <algorithm>
#include <array>

#include "isthmus/offload/model.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/shared/machine.hpp"
#include "probes/sampling.hpp"
#include "probes/shared.hpp"

namespace isthmus::probes {
namespace {

using offload::RegisterAccess;
namespace needs = offload::needs;

constexpr Bytes kCacheLine{64};
constexpr std::array kAccessSizes{Bytes{4}, Bytes{8}, kCacheLine};
constexpr std::int64_t kPage = 4096;
constexpr int kStores = 1024;
constexpr int kLoads = 16;
constexpr std::int64_t kMemoryHeld = 2;  // sizes: the host clears what the device reads

double gb_per_second(Bytes moved, Time time) {
  return static_cast<double>(moved.count) / time.seconds() * 1e-9;
}

Finding bandwidth(Bytes size, Bytes moved, std::vector<Time> times) {
  Finding finding{.quantity = "bandwidth", .unit = "GB/s", .size = size, .parameters = {}, .samples = {}, .times = {}};
  for (const Time time : times) finding.samples.push_back(gb_per_second(moved, time));
  finding.times = std::move(times);
  return finding;
}

Finding latency(Bytes size, std::vector<Time> times) {
  Finding finding{.quantity = "latency", .unit = "us", .size = size, .parameters = {}, .samples = {}, .times = {}};
  for (const Time time : times) finding.samples.push_back(time.seconds() * 1e6);
  finding.times = std::move(times);
  return finding;
}

using Open = std::function<std::unique_ptr<Sampler>(offload::Device&)>;

/// `copies` of the size are held at once, on host and device.
Point bandwidth_point(Bytes size, Bytes moved, std::int64_t copies, Open open) {
  return {.finding = bandwidth(size, moved, {}),
          .value = [moved](Time time) { return gb_per_second(moved, time); },
          .open = std::move(open),
          .memory = {copies * size.count}};
}

Point latency_point(Bytes size, Open open) {
  return {
      .finding = latency(size, {}), .value = [](Time time) { return time.seconds() * 1e6; }, .open = std::move(open)};
}

Open copies_of(Direction direction, HostSide side, Bytes size) {
  return [=](offload::Device& device) { return copies(device, direction, side, size); };
}

Point copy_point(Direction direction, HostSide side, Bytes size) {
  return bandwidth_point(size, size, 3, copies_of(direction, side, size));
}

template <Direction direction, HostSide side>
void copies_by_size(const Job& job, Target& target, const Report& report) {
  std::vector<Point> points;
  points.reserve(job.sizes.size());
  for (const Bytes size : job.sizes) points.push_back(copy_point(direction, side, size));
  measure(job, target, std::move(points), report);
}

void duplex(const Job& job, Target& target, const Report& report) {
  std::vector<Point> points;
  points.reserve(job.sizes.size());
  for (const Bytes size : job.sizes)
    points.push_back(bandwidth_point(size, {2 * size.count}, 6,
                                     [size](offload::Device& device) { return duplex_copies(device, size); }));
  measure(job, target, std::move(points), report);
}

void cache_line(const Job& job, Target& target, const Report& report) {
  measure(job, target, {latency_point(kCacheLine, copies_of(Direction::to_device, HostSide::pageable, kCacheLine))},
          report);
}

std::vector<Time> time_accesses(Target& target, const RegisterAccess& access, int count, int samples) {
  std::vector<Time> times;
  times.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i)
    times.push_back(Time::fs(target.open().access_registers(access, count).femtoseconds() / count));
  return times;
}

void stores(const Job& job, Target& target, const Report& report) {
  for (const Bytes size : kAccessSizes) {
    for (const bool combining : {true, false}) {
      const RegisterAccess access{.kind = RegisterAccess::Kind::store, .size = size, .write_combining = combining};
      Finding finding = bandwidth(size, size, time_accesses(target, access, kStores, job.samples));
      finding.parameters.emplace_back("write_combining", combining);
      report(finding);
    }
  }
}

void loads(const Job& job, Target& target, const Report& report) {
  for (const Bytes size : kAccessSizes) {
    const RegisterAccess access{.kind = RegisterAccess::Kind::load, .size = size, .write_combining = false};
    report(latency(size, time_accesses(target, access, kLoads, job.samples)));
  }
}

bool may_be_accessed(Bytes size, Bytes offset) {
  return size.count + offset.count <= kPage && size.count % kWordBytes == 0;
}

Finding host_access(const offload::HostAccess& access, Target& target, int samples) {
  std::vector<Time> times;
  std::int64_t in_flight = 0;
  for (int i = 0; i < samples; ++i) {
    const offload::HostAccessLatency took = target.open().access_host_memory(access);
    times.push_back(took.each);
    in_flight = took.in_flight;
  }
  Finding finding = latency(access.size, std::move(times));
  finding.parameters.emplace_back("access", access.kind == offload::HostAccess::Kind::read ? "read" : "write");
  finding.parameters.emplace_back("in_flight", in_flight);
  finding.parameters.emplace_back("offset", access.offset.count);
  return finding;
}

void device_latency(const Job& job, Target& target, const Report& report) {
  using Kind = offload::HostAccess::Kind;
  for (const Bytes size : job.sizes) {
    if (!may_be_accessed(size, job.offset) && target.open().info().modelled) continue;
    for (const Kind kind : {Kind::read, Kind::write})
      for (const bool at_once : {false, true})
        report(
            host_access({.kind = kind, .size = size, .at_once = at_once, .offset = job.offset}, target, job.samples));
  }
}

template <Access access>
void memory(const Job& job, Target& target, const Report& report) {
  std::vector<Point> points;
  points.reserve(job.sizes.size());
  for (const Bytes size : job.sizes) {
    for (const Bytes burst : job.bursts.empty() ? std::vector{size} : job.bursts) {
      if (burst > size) continue;
      points.push_back(bandwidth_point(size, size, kMemoryHeld, [=](offload::Device& device) {
        return memory_passes(device, access, size, burst);
      }));
      points.back().finding.parameters.emplace_back("burst", burst.count);
    }
  }
  measure(job, target, std::move(points), report);
}

void empty_launches(const Job& job, Target& target, const Report& report) {
  measure(job, target, {latency_point({0}, launches)}, report);
}

constexpr std::string_view kOneBurst = "sizes of at least one of --burst";

/// One step of choi2019 fig. 5: what is left of the bandwidth when one more thing is paid for.
Point step(Point point, std::int64_t number, const char* name) {
  point.finding.parameters.emplace_back("step", number);
  point.finding.parameters.emplace_back("what", name);
  return point;
}

/// What the link's data sheet promises.
Point promise(Bytes size, Bandwidth rate) {
  Point point{.finding = bandwidth(size, size, {}), .value = {}, .open = {}};
  point.finding.samples = {rate.gb_per_second()};
  return point;
}

void steps(const Job& job, Target& target, const Report& report) {
  std::vector<Point> points;
  const auto link = target.open().info().link;
  for (const Bytes size : job.sizes) {
    if (link) {
      points.push_back(step(promise(size, link->advertised), 1, "advertised"));
      points.push_back(step(promise(size, link->payload), 2, "packets"));
    }
    points.push_back(step(copy_point(Direction::to_device, HostSide::pinned, size), 3, "DMA"));
    points.push_back(step(copy_point(Direction::to_device, HostSide::pageable, size), 4, "copy"));
    points.push_back(step(copy_point(Direction::to_device, HostSide::fresh, size), 5, "end to end"));
  }
  measure(job, target, std::move(points), report);
}

constexpr std::array kLine{kCacheLine};
/// Of the caches of boards with shared memory.
constexpr std::array kSharedLines{kCacheLine, Bytes{fabric::kMostLine}};
constexpr std::int64_t kMostLooped = 65535 * kCacheLine.count;  // gemieux2018 figures 6 and 7
constexpr std::array kNothing{Bytes{0}};
constexpr std::string_view kShared = "shared memory";
constexpr std::string_view kStaged = "staged copies";
constexpr std::string_view kPinned = "pinned copies";

constexpr std::array kProbes = std::to_array<Probe>({
    {.name = "h2d",
     .meaning = "host to device, pageable memory, no allocation",
     .crosses = kStaged,
     .needs = needs::kCopies,
     .run = copies_by_size<Direction::to_device, HostSide::pageable>,
     .curve = true,
     .in_study = true,
     .fitted = true,
     .compared = true},
    {.name = "d2h",
     .meaning = "device to host, pageable memory, no allocation",
     .crosses = kStaged,
     .needs = needs::kCopies,
     .run = copies_by_size<Direction::to_host, HostSide::pageable>,
     .curve = true,
     .in_study = true,
     .fitted = true,
     .compared = true},
    {.name = "h2d-pinned",
     .meaning = "host to device, pinned memory",
     .crosses = kPinned,
     .needs = needs::kCopies,
     .run = copies_by_size<Direction::to_device, HostSide::pinned>,
     .curve = true,
     .in_study = true,
     .fitted = true,
     .compared = true},
    {.name = "d2h-pinned",
     .meaning = "device to host, pinned memory",
     .crosses = kPinned,
     .needs = needs::kCopies,
     .run = copies_by_size<Direction::to_host, HostSide::pinned>,
     .curve = true,
     .in_study = true,
     .fitted = true,
     .compared = true},
    {.name = "h2d-alloc",
     .meaning = "host to device, pageable memory, allocation of the buffer included",
     .crosses = kStaged,
     .needs = needs::kCopies,
     .run = copies_by_size<Direction::to_device, HostSide::fresh>,
     .curve = true,
     .in_study = true,
     .fitted = true,
     .compared = true},
    {.name = "duplex",
     .meaning = "both directions at once, their sum, pinned memory",
     .crosses = kPinned,
     .needs = needs::kCopies,
     .run = duplex,
     .curve = true,
     .compared = true},
    {.name = "latency",
     .meaning = "a 64-byte copy to the device, from call to return",
     .crosses = kStaged,
     .needs = needs::kCopies,
     .run = cache_line,
     .latency = true,
     .in_study = true,
     .fitted = true,
     .compared = true,
     .looks_at = {.own = kLine}},
    {.name = "mmio-store",
     .meaning = "stores of 4, 8 and 64 bytes to registers, with and without write combining",
     .crosses = "registers",
     .needs = needs::kRegisters,
     .run = stores,
     .on_models_alone = true,
     .looks_at = {.own = kAccessSizes}},
    {.name = "mmio-load",
     .meaning = "loads of 4, 8 and 64 bytes from registers",
     .crosses = "registers",
     .needs = needs::kRegisters,
     .run = loads,
     .on_models_alone = true,
     .latency = true,
     .looks_at = {.own = kAccessSizes}},
    {.name = "device-read",
     .meaning = "a kernel reads device memory",
     .crosses = "device memory",
     .needs = needs::kKernels,
     .run = memory<Access::read>,
     .of_a_link = false,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "device-write",
     .meaning = "a kernel writes device memory",
     .crosses = "device memory",
     .needs = needs::kKernels,
     .run = memory<Access::write>,
     .of_a_link = false,
     .curve = true,
     .sizes = kOneBurst},
    {.name = "device-latency",
     .meaning =
         "the device reads and writes host memory by itself, one access at a time and as many as the link's tags allow",
     .crosses = "host memory",
     .needs = needs::kHostAccess,
     .run = device_latency,
     .on_models_alone = true,
     .latency = true,
     .looks_at = {.multiples_of = kWordBytes, .most = kPage},
     .sizes = "multiples of 64 B that end, with --offset, within 4 KiB"},
    {.name = "launch",
     .meaning = "an empty kernel, from enqueue to the return of the wait for it",
     .crosses = "launches",
     .needs = needs::kLaunches,
     .run = empty_launches,
     .latency = true,
     .in_study = true,
     .fitted = true,
     .compared = true,
     .looks_at = {.own = kNothing}},
    {.name = "cache-hit",
     .meaning = "a circuit reads and writes lines that the FPGA's coherent cache holds, one at a time, by phases",
     .crosses = kShared,
     .needs = platform::kSharedNeeds,
     .run = cache_hits,
     .on_models_alone = true,
     .of_a_link = false,
     .latency = true,
     .looks_at = {.own = kSharedLines}},
    {.name = "cache-miss",
     .meaning = "a circuit reads and writes lines that it does not hold, one at a time, by phases",
     .crosses = kShared,
     .needs = platform::kSharedNeeds,
     .run = cache_misses,
     .on_models_alone = true,
     .of_a_link = false,
     .latency = true,
     .looks_at = {.own = kSharedLines}},
    {.name = "loopback",
     .meaning = "lines that a circuit or a core writes, the other copies, and the first reads and compares",
     .crosses = kShared,
     .needs = platform::kSharedNeeds,
     .run = loopbacks,
     .on_models_alone = true,
     .of_a_link = false,
     .latency = true,
     .curve = true,
     .looks_at = {.multiples_of = kCacheLine.count, .most = kMostLooped},
     .sizes = "1 to 65535 lines"},
    {.name = "pointer-walk",
     .meaning = "a circuit follows the pointers of a list, and of a hash table, that the CPU has built in its memory",
     .crosses = kShared,
     .needs = kSharedMachineNeeds,
     .run = pointer_walks,
     .on_models_alone = true,
     .of_a_link = false,
     .latency = true,
     .curve = true},
    {.name = "shared-read",
     .meaning = "a circuit reads the host's memory through the coherent cache",
     .crosses = kShared,
     .needs = platform::kSharedNeeds,
     .run = shared_reads,
     .on_models_alone = true,
     .of_a_link = false,
     .curve = true},
    {.name = "shared-write",
     .meaning = "a circuit writes the host's memory through the coherent cache",
     .crosses = kShared,
     .needs = platform::kSharedNeeds,
     .run = shared_writes,
     .on_models_alone = true,
     .of_a_link = false,
     .curve = true},
    {.name = "steps",
     .meaning = "the five steps of choi2019 figure 5, from advertised to end to end, host to device",
     .crosses = kStaged,
     .needs = needs::kCopies,
     .run = steps,
     .in_study = true},
});

}  // namespace

namespace {

/// A model is probed link by link: over the one that is named, else over the first.
std::string channel_of(const Job& job) {
  const bool modelled = job.target.starts_with("model:") || job.target.ends_with(".toml");
  if (!modelled || !job.channel.empty()) return job.channel;
  const auto channels = platform::load(platform::file_of(job.target), job.settings).channels();
  return channels.empty() ? std::string() : channels.front();
}

}  // namespace

offload::Device& Target::open() {
  if (!device_ || device_->info().modelled)
    device_ = offload::open_device(job_.target, job_.settings, memory_kernels(),
                                   {.channel = channel_of(job_), .grain = job_.grain});
  return *device_;
}

std::optional<platform::Grain> Target::grain() const {
  const auto* model = dynamic_cast<const offload::ModelDevice*>(device_.get());
  if (model == nullptr) return {};
  return model->grain();
}

std::span<const Probe> all_probes() {
  return kProbes;
}

}  // namespace isthmus::probes
