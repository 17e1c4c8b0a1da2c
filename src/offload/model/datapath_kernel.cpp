#include <fmt/format.h>

#include <utility>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/datapath.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::offload {
namespace {

fabric::DeviceAddress address_of(const fabric::KernelCall& call, const Region& region) {
  fabric::DeviceAddress at = address_argument(call.arguments[region.argument]);
  at.byte += region.offset;
  return at;
}

class DatapathKernel : public WordKernel {
 public:
  DatapathKernel(const KernelSpec& spec, std::unique_ptr<Datapath> path)
      : WordKernel(spec, path->ports()),
        path_(std::move(path)),
        window_(static_cast<std::uint64_t>(spec.axi.burst.count) * static_cast<std::uint64_t>(spec.axi.outstanding)) {}

  /// One launch.
  void step() {
    const auto call = fabric::read_call(start);
    const Region result = path_->result();
    begin_writing(address_of(call, result), result.bytes);
    path_->begin();
    std::vector<Asked> asked(path_->ports());
    while (asked.back().next < path_->regions() || asked.back().under_way > 0) {
      for (std::size_t port = 0; port < asked.size(); ++port) take_burst(call, port, asked[port]);
      give();
      work();
    }
    cycle(path_->finish());
    give();
    work();
    finish();
  }

 private:
  /// How far a port is.
  struct Asked {
    std::uint64_t next = 0;       ///< region
    std::uint64_t under_way = 0;  ///< bytes
  };

  void take_burst(const fabric::KernelCall& call, std::size_t port, Asked& asked) {
    // A region that finds no room waits for data to be taken, so it is not waited for.
    while (asked.next < path_->regions() && asked.under_way < window_ && regions[port].room()) {
      const Region region = path_->region(port, asked.next++);
      regions[port].push({.at = address_of(call, region), .bytes = region.bytes});
      asked.under_way += region.bytes;
    }
    const fabric::AxiBurst& burst = data[port].read_in_place();
    for (std::size_t at = 0; at < burst.bytes; at += sizeof(Word)) {
      Word word;
      std::memcpy(word.bytes.data(), burst.data.data() + at, sizeof(Word));
      cycle(path_->take(port, word));
    }
    asked.under_way -= burst.bytes;
  }

  void give() {
    for (Word word; path_->give(word);) write(word);
  }

  std::unique_ptr<Datapath> path_;
  std::uint64_t window_;  ///< bytes that a port has under way
};

}  // namespace

KernelModel datapath_model(const std::string& name, const DatapathMaker& make) {
  const auto add = [name, make](Graph& graph, const std::string& actor, const KernelSpec& spec) -> KernelPorts& {
    auto path = make();
    if (path->onchip_bytes() > static_cast<std::uint64_t>(spec.onchip_capacity.count))
      throw Error(fmt::format("kernel '{}': expected {} B of on-chip memory, got {} B", name, path->onchip_bytes(),
                              spec.onchip_capacity.count));
    return graph.add<DatapathKernel>(actor, {.clock = spec.clock, .group = kDeviceGroup}, spec, std::move(path));
  };
  return {.name = name, .add = add};
}

}  // namespace isthmus::offload
