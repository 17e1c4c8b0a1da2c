#include "offload/model/coarse/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::model {
namespace {

class ReadsAtOnce {
 public:
  In<fabric::AxiRegion> regions{"regions"};
  Out<fabric::AxiBurst> data{"data"};

  ReadsAtOnce(const fabric::AxiSpec& axi, fabric::DeviceMemory& memory) : axi_(axi), memory_(memory) {}
  void step() {
    fabric::AxiRegion region = regions.read();
    while (region.bytes > 0) {
      fabric::AxiBurst& burst = data.slot();
      burst.bytes = axi_.first_burst(region.at.byte, region.bytes);
      memory_.cells(region.at.channel).read(region.at.byte, std::span(burst.data).first(burst.bytes));
      region.at.byte += burst.bytes;
      region.bytes -= burst.bytes;
      passed_ += burst.bytes;
    }
  }
  std::uint64_t passed() const { return passed_; }

 private:
  fabric::AxiSpec axi_;
  fabric::DeviceMemory& memory_;
  std::uint64_t passed_ = 0;
};

class WritesAtOnce {
 public:
  In<fabric::AxiStore> stores{"stores"};
  Out<fabric::AxiDone> written{"written"};

  explicit WritesAtOnce(fabric::DeviceMemory& memory) : memory_(memory) {}
  void step() {
    const fabric::AxiStore& store = stores.read_in_place();
    const fabric::AxiBurst& burst = store.write.burst;
    memory_.cells(store.channel).write(store.write.address, std::span(burst.data).first(burst.bytes));
    passed_ += burst.bytes;
    if (store.last) written.push({});
  }
  std::uint64_t passed() const { return passed_; }

 private:
  fabric::DeviceMemory& memory_;
  std::uint64_t passed_ = 0;
};

/// Starts the kernel and waits for its end.
class Starter {
 public:
  Out<MmioRequest> mmio{"mmio"};
  In<fabric::KernelDone> finished{"finished"};

  explicit Starter(std::vector<MmioRequest> doorbell) : doorbell_(std::move(doorbell)) {}
  void step() {
    for (const MmioRequest& store : doorbell_) mmio.push(store);
    finished.read();
    ended_ = true;
  }
  bool done() const { return ended_; }

 private:
  std::vector<MmioRequest> doorbell_;
  bool ended_ = false;
};

}  // namespace

std::uint64_t launch_at_once(const Loaded& loaded, std::size_t kernel, const fabric::KernelCall& call) {
  const KernelSpec& spec = needed(loaded.spec.kernel);
  const KernelModel& model = *loaded.kernels.at(kernel);
  Graph graph;
  const ActorOptions clocked{.clock = spec.clock};
  KernelPorts& ports = model.add(graph, model.name, spec);
  auto& registers = graph.add<fabric::DeviceRegisters>("registers", clocked, std::size_t{0}, std::size_t{1});
  auto& starter = graph.add<Starter>("starter", {}, fabric::doorbell(fabric::Units(0, 1).kernel(0), call));
  const ChannelOptions at_once{.depth = platform::kBursts, .latency_time = kHandOver, .return_latency_time = kHandOver};
  graph.connect(starter.mmio, registers.in, at_once);
  graph.connect(registers.kernels[0], ports.start, {.depth = 8});
  graph.connect(ports.finished, starter.finished, at_once);
  std::vector<const ReadsAtOnce*> readers;
  std::vector<const WritesAtOnce*> writers;
  for (std::size_t port = 0; port < ports.regions.size(); ++port) {
    auto& reader = graph.add<ReadsAtOnce>(fmt::format("reads {}", port), {}, spec.axi, loaded.memory);
    auto& writer = graph.add<WritesAtOnce>(fmt::format("writes {}", port), {}, loaded.memory);
    graph.connect(ports.regions[port], reader.regions, at_once);
    graph.connect(reader.data, ports.data[port], at_once);
    graph.connect(ports.stores[port], writer.stores, at_once);
    graph.connect(writer.written, ports.written[port], at_once);
    readers.push_back(&reader);
    writers.push_back(&writer);
  }
  const RunReport report = graph.run({.throw_on_error = false});
  if (report.outcome != Outcome::finished) throw Error(report.message);
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const auto* reader : readers) read += reader->passed();
  for (const auto* writer : writers) written += writer->passed();
  return std::max(read, written);
}

}  // namespace isthmus::offload::model
