#include "apps/experiments.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/image_files.hpp"
#include "apps/image_filter_kernel.hpp"
#include "apps/stream_flow.hpp"
#include "isthmus/apps/target.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/probes/probe.hpp"
#include "program/run.hpp"

namespace isthmus::apps {
namespace {

using offload::Device;
using offload::ModelDevice;

constexpr std::int64_t kKiB = 1024;

platform::Description description(const Bench& bench) {
  return platform::load(platform::file_of(bench.target), bench.settings);
}

std::unique_ptr<ModelDevice> open(const Bench& bench, std::vector<offload::KernelModel> kernels) {
  auto device = offload::open_model(description(bench), std::move(kernels));
  device->shuffle(bench.schedule_seed);
  return device;
}

std::unique_ptr<ModelDevice> prober(const Bench& bench) {
  return open(bench, probes::memory_kernels());
}

std::string text(Time time) {
  return fmt::format("{} fs\n", time.femtoseconds());
}

std::string text(const std::vector<Time>& times) {
  std::string all;
  for (const Time time : times) all += text(time);
  return all;
}

std::string text(const std::vector<platform::Part>& parts) {
  return platform::to_json(parts).dump() + "\n";
}

std::string copies(const Bench& bench) {
  using probes::Direction;
  using probes::HostSide;
  std::string all;
  for (const Direction direction : {Direction::to_device, Direction::to_host})
    for (const HostSide side : {HostSide::fresh, HostSide::pageable, HostSide::pinned}) {
      const auto device = prober(bench);
      all += text(probes::time_copies(*device, direction, side, {96 * kKiB}, 1)) + text(device->parts());
    }
  return all;
}

std::string duplex(const Bench& bench) {
  const auto device = prober(bench);
  return text(probes::time_duplex(*device, {64 * kKiB}, 2)) + text(device->parts());
}

std::string launches(const Bench& bench) {
  return text(probes::time_launches(*prober(bench), 2));
}

std::string registers(const Bench& bench) {
  using Kind = offload::RegisterAccess::Kind;
  std::string all;
  for (const Kind kind : {Kind::store, Kind::load})
    for (const bool combining : {true, false})
      all += text(prober(bench)->access_registers({.kind = kind, .size = {8}, .write_combining = combining}, 32));
  return all;
}

std::string host_access(const Bench& bench, const offload::HostAccess& access) {
  const auto took = prober(bench)->access_host_memory(access);
  return fmt::format("{} in flight, {}", took.in_flight, text(took.each));
}

std::string host_reads(const Bench& bench) {
  using Kind = offload::HostAccess::Kind;
  return host_access(bench, {.kind = Kind::read, .size = {4 * kKiB}, .at_once = false}) +
         host_access(bench, {.kind = Kind::read, .size = {512}, .at_once = true});
}

std::string host_writes(const Bench& bench) {
  using Kind = offload::HostAccess::Kind;
  return host_access(bench, {.kind = Kind::write, .size = {64}, .at_once = false}) +
         host_access(bench, {.kind = Kind::write, .size = {4 * kKiB}, .at_once = true});
}

std::string device_memory(const Bench& bench) {
  using probes::Access;
  std::string all;
  for (const Access access : {Access::read, Access::write})
    for (const std::int64_t burst : {std::int64_t{64}, kKiB, 32 * kKiB})
      all += text(probes::time_memory(*prober(bench), access, {32 * kKiB}, {burst}, 1));
  return all;
}

std::string allocation(const Bench& bench) {
  return fmt::format("{} B", prober(bench)->allocate({12 * kKiB * kKiB})->size().count);
}

/// A frame of noise takes the model no longer than any other.
class Frames {
 public:
  Frames(ImageSize size, int count) : source_(frames(folder_, size, count)) {}
  const FrameSource& source() const { return source_; }

 private:
  static FrameSource frames(const TemporaryFolder& folder, ImageSize size, int count) {
    write_png(folder / "chart.png", chart({size.width + 5, size.height + 3}));
    return {{folder / "chart.png"}, size, count, 1};
  }
  TemporaryFolder folder_;
  FrameSource source_;
};

std::string filter(const Bench& bench, const char* flow) {
  const Frames frames({.width = 320, .height = 24}, 3);
  const FilterSpec spec = default_filter();
  const auto device = open(bench, {image_filter_kernel()});
  const FilterRun run = run_on_device(*device, {.flow = flow, .spec = spec, .frames = frames.source(), .progress = {}});
  return text(run.times.elapsed) + text(run.setup) + text(device->parts()) + (run.difference ? "wrong" : "right");
}

std::string offload_flow(const Bench& bench) {
  return filter(bench, "offload");
}

std::string overlap_flow(const Bench& bench) {
  return filter(bench, "overlap");
}

std::string stream_flow(const Bench& bench) {
  const Frames frames({.width = 320, .height = 64}, 4);
  const FilterSpec spec = default_filter();
  const StreamRun run =
      run_stream(description(bench), {.flow = "stream", .spec = spec, .frames = frames.source(), .progress = {}});
  return text(run.run.times.elapsed) + text(run.run.setup) + text(run.parts) + (run.run.difference ? "wrong" : "right");
}

struct Forward {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() { out.push(in.read()); }
};

std::string program_flow(const Bench& bench) {
  const program::ByteApplication forwards{
      .name = "forwards",
      .summary = "what comes, as it is",
      .input = 4096,
      .output = 4096,
      .kernel =
          [](program::Kernel& kernel) {
            auto& forward = kernel.add<Forward>("forward");
            kernel.from_host(forward.in);
            kernel.to_host(forward.out);
          },
      .fill = [](int message, std::span<std::byte> to) { std::ranges::fill(to, static_cast<std::byte>(message)); },
      .reference = [](std::span<const std::byte> in, std::span<std::byte> out) { std::ranges::copy(in, out.begin()); }};
  const program::Result run = program::run_on_model(forwards, description(bench), {.messages = 40});
  return text(run.elapsed) + text(run.setup) + text(run.parts) + (run.difference ? "wrong" : "right");
}

}  // namespace

const std::map<std::string, Experiment>& experiments() {
  static const std::map<std::string, Experiment> kAll{
      {"copies", copies},         {"duplex", duplex},           {"launches", launches},    {"registers", registers},
      {"host reads", host_reads}, {"host writes", host_writes}, {"memory", device_memory}, {"allocation", allocation},
      {"offload", offload_flow},  {"overlap", overlap_flow},    {"stream", stream_flow},   {"program", program_flow}};
  return kAll;
}

std::string outcome(const std::string& experiment, const Bench& bench) {
  try {
    return experiments().at(experiment)(bench);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace isthmus::apps
