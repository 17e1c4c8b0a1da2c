#include "apps/experiments.hpp"

#include <fmt/format.h>

#include "apps/filter_over.hpp"
#include "apps/noise.hpp"
#include "flows/ran.hpp"
#include "flows/stream/stream_flow.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/probes/probe.hpp"

namespace isthmus::apps {
namespace {

using offload::Device;
using offload::ModelDevice;

constexpr std::int64_t kKiB = 1024;

platform::Description platform_of(const Bench& bench) {
  return platform::load(platform::file_of(bench.target), bench.overrides);
}

std::unique_ptr<ModelDevice> open(const Bench& bench, std::vector<offload::KernelModel> kernels) {
  auto device = offload::open_model(platform_of(bench), std::move(kernels));
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
  return platform::to_json(parts).text() + "\n";
}

std::string copies(const Bench& bench) {
  using probes::Direction;
  using probes::HostSide;
  std::string all;
  for (const Direction direction : {Direction::to_device, Direction::to_host})
    for (const HostSide side : {HostSide::fresh, HostSide::pageable, HostSide::pinned}) {
      const auto device = prober(bench);
      all += text(probes::sample(*probes::copies(*device, direction, side, {96 * kKiB}), 1)) + text(device->parts());
    }
  return all;
}

std::string duplex(const Bench& bench) {
  const auto device = prober(bench);
  return text(probes::sample(*probes::duplex_copies(*device, {64 * kKiB}), 2)) + text(device->parts());
}

std::string launches(const Bench& bench) {
  const auto device = prober(bench);
  return text(probes::sample(*probes::launches(*device), 2));
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
         host_access(bench, {.kind = Kind::read, .size = {2 * kKiB}, .at_once = true, .offset = {64}}) +
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
    for (const std::int64_t burst : {std::int64_t{64}, kKiB, 32 * kKiB}) {
      const auto device = prober(bench);
      all += text(probes::sample(*probes::memory_passes(*device, access, {32 * kKiB}, {burst}), 1));
    }
  return all;
}

std::string allocation(const Bench& bench) {
  return fmt::format("{} B", prober(bench)->buffer(12 * kKiB * kKiB).size());
}

std::string text(const std::vector<program::Stage>& stages) {
  std::string all;
  for (const program::Stage& stage : stages) all += stage.name + " " + text(stage.time);
  return all;
}

std::string text(const program::FlowTimes& times) {
  std::string all = text(times.elapsed) + text(times.stages);
  for (const auto& steps : times.first)
    for (const program::Step& step : steps) all += step.name + " " + text(step.begin) + text(step.end);
  return all;
}

program::Ran run_filter(const Bench& bench, const char* flow, ImageSize size, int images) {
  const Noise noise(size);
  const auto application = filter_over(noise.frames(images));
  return program::ran(
      bench.target, bench.overrides,
      {.application = application, .flow = flow, .count = images, .schedule_seed = bench.schedule_seed});
}

std::string filter(const Bench& bench, const char* flow, ImageSize size) {
  const auto [run, row] = run_filter(bench, flow, size, 3);
  return text(run.times) + text(run.setup) + row["parts"].dump() + row["bottleneck"].dump() +
         (run.difference ? "wrong" : "right");
}

template <const char* flow>
Rate filter_rate(const Bench& bench) {
  const auto [run, row] = run_filter(bench, flow, {.width = 640, .height = 90}, 8);
  Rate rate{.elapsed = run.times.elapsed, .keys = {}};
  for (const auto& part : row["parts"])
    for (const std::string key : part["keys"]) rate.keys.insert(key);
  return rate;
}

std::string offload_flow(const Bench& bench) {
  return filter(bench, "offload", {.width = 320, .height = 24});
}

std::string overlap_flow(const Bench& bench) {
  return filter(bench, "overlap", {.width = 320, .height = 24});
}

std::string stream_flow(const Bench& bench) {
  return filter(bench, "stream", {.width = 320, .height = 64});
}

/// Deals words out in turn; what they meet on their ways differs.
struct Deal {
  In<StreamWord> in{"in"};
  Out<StreamWord> left{"left"};
  Out<StreamWord> right{"right"};
  bool turn = false;
  void step() {
    const StreamWord word = in.read();
    (turn ? right : left).push(word);
    turn = !turn && !word.last;
  }
};

struct Invert {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() {
    StreamWord word = in.read();
    for (std::byte& byte : word.data.bytes) byte = ~byte;
    out.push(word);
  }
};

/// Polls both ways, and takes up the words as they were dealt out.
struct Gather {
  In<StreamWord> left{"left"};
  In<StreamWord> right{"right"};
  Out<StreamWord> out{"out"};
  bool turn = false;
  void step() {
    StreamWord word;
    if (!(turn ? right : left).pull(word)) return;
    out.push(word);
    turn = !turn && !word.last;
  }
};

void two_ways(program::Kernel& kernel) {
  auto& deal = kernel.add<Deal>("deal");
  auto& left = kernel.add<Invert>("left");
  auto& right = kernel.add<Invert>("right");
  auto& gather = kernel.add<Gather>("gather");
  kernel.from_host(deal.in);
  kernel.connect(deal.left, left.in);
  kernel.connect(deal.right, right.in, {.depth = 3, .latency = 5});
  kernel.connect(left.out, gather.left, {.depth = 9, .latency = 2});
  kernel.connect(right.out, gather.right);
  kernel.to_host(gather.out);
}

program::BoardRun run_program(const Bench& bench, int messages) {
  const program::ByteApplication inverts{
      .name = "inverts",
      .summary = "each bit turned",
      .input = 4096,
      .output = 4096,
      .kernel = two_ways,
      .fill = [](int message, std::span<std::byte> to) { std::ranges::fill(to, static_cast<std::byte>(message)); },
      .reference =
          [](std::span<const std::byte> in, std::span<std::byte> out) {
            std::ranges::transform(in, out.begin(), [](std::byte byte) { return ~byte; });
          }};
  return program::run_stream(
      platform_of(bench),
      {.application = inverts, .flow = "stream", .count = messages, .schedule_seed = bench.schedule_seed});
}

Rate program_rate(const Bench& bench) {
  const program::BoardRun run = run_program(bench, 200);
  Rate rate{.elapsed = run.run.times.elapsed, .keys = {}};
  for (const platform::Part& part : run.parts) rate.keys.insert(part.keys.begin(), part.keys.end());
  return rate;
}

std::string program_flow(const Bench& bench) {
  const program::BoardRun run = run_program(bench, 40);
  return text(run.run.times.elapsed) + text(run.run.setup) + text(run.parts) +
         (run.run.difference ? "wrong" : "right") + text(run.run.times.stages);
}

}  // namespace

const std::map<std::string, Experiment>& experiments() {
  static const std::map<std::string, Experiment> kAll{
      {"copies", copies},         {"duplex", duplex},           {"launches", launches},    {"registers", registers},
      {"host reads", host_reads}, {"host writes", host_writes}, {"memory", device_memory}, {"allocation", allocation},
      {"offload", offload_flow},  {"overlap", overlap_flow},    {"stream", stream_flow},   {"program", program_flow}};
  return kAll;
}

const std::map<std::string, Flow>& flows() {
  static constexpr char kOffload[] = "offload";
  static constexpr char kOverlap[] = "overlap";
  static constexpr char kStream[] = "stream";
  static const std::map<std::string, Flow> kAll{{kOffload, filter_rate<kOffload>},
                                                {kOverlap, filter_rate<kOverlap>},
                                                {kStream, filter_rate<kStream>},
                                                {"program", program_rate}};
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
