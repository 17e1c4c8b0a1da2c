#include "probes/device_probes.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "isthmus/probes/sampler.hpp"
#include "probes/sampling.hpp"

namespace isthmus::probes {
namespace {

using offload::RegisterAccess;

constexpr int kStores = 1024;
constexpr int kLoads = 16;
constexpr std::int64_t kMemoryHeld = 2;  // sizes: the host clears what the device reads

double gb_per_second(Bytes moved, Time time) {
  return static_cast<double>(moved.count) / time.seconds() * 1e-9;
}

Finding bandwidth(Bytes size, Bytes moved, std::vector<Time> times) {
  Finding finding{.quantity = "bandwidth", .unit = "GB/s", .size = size};
  for (const Time time : times) finding.samples.push_back(gb_per_second(moved, time));
  finding.times = std::move(times);
  return finding;
}

Finding latency(Bytes size, std::vector<Time> times) {
  Finding finding{.quantity = "latency", .unit = "us", .size = size};
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

std::vector<Time> time_accesses(Target& target, const RegisterAccess& access, int count, int samples) {
  std::vector<Time> times;
  times.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i)
    times.push_back(Time::fs(target.open().access_registers(access, count).femtoseconds() / count));
  return times;
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

/// One step of choi2019 fig. 5: what is left of the bandwidth when one more thing is paid for.
Point step(Point point, std::int64_t number, const char* name) {
  point.finding.parameters.emplace_back("step", number);
  point.finding.parameters.emplace_back("what", name);
  return point;
}

/// The rates that the link's data sheet promises.
Point promise(Bytes size, Bandwidth rate) {
  Point point{.finding = bandwidth(size, size, {}), .value = {}, .open = {}};
  point.finding.samples = {rate.gb_per_second()};
  return point;
}

}  // namespace

void copies_by_size(Direction direction, HostSide side, const Job& job, Target& target, const Report& report) {
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

void device_latency(const Job& job, Target& target, const Report& report) {
  using Kind = offload::HostAccess::Kind;
  for (const Bytes size : job.sizes) {
    if (!may_be_accessed(size, job.offset) && target.open().properties().modelled) continue;
    for (const Kind kind : {Kind::read, Kind::write})
      for (const bool at_once : {false, true})
        report(
            host_access({.kind = kind, .size = size, .at_once = at_once, .offset = job.offset}, target, job.samples));
  }
}

void memory(Access access, const Job& job, Target& target, const Report& report) {
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

void steps(const Job& job, Target& target, const Report& report) {
  std::vector<Point> points;
  const auto link = target.open().properties().link;
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

}  // namespace isthmus::probes
