#include <algorithm>
#include <cstdint>

#include "isthmus/base/scatter.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::probes {
namespace {

using offload::KernelSpec;

constexpr std::uint64_t kPiece = 16;  // bytes of an OpenCL uint4, in which the kernels count

/// The arguments in the order of the kernels' signature.
struct Walk {
  fabric::DeviceAddress memory;
  std::uint64_t burst;
  std::uint64_t bursts;
  std::uint64_t stride;
  std::uint64_t passes;

  explicit Walk(const fabric::KernelCall& call)
      : memory(offload::address_argument(call.arguments[0])),
        burst(number(call.arguments[2]) * kPiece),
        bursts(number(call.arguments[3])),
        stride(number(call.arguments[4]) * kPiece),
        passes(number(call.arguments[5])) {}

  /// The place of the `index`th burst of a pass.
  fabric::DeviceAddress at(std::uint64_t pass, std::uint64_t index) const {
    const std::uint64_t place = scattered(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(bursts));
    return {.channel = memory.channel, .byte = memory.byte + pass * stride + place * burst};
  }

 private:
  static std::uint64_t number(std::uint64_t argument) {
    return static_cast<std::uint64_t>(offload::number_argument(argument));
  }
};

/// Reads as fast as its port delivers, as many bursts under way as the port may have; a pass begins when all of the one
/// before has come.
class DeviceRead : public offload::KernelPorts {
 public:
  explicit DeviceRead(const KernelSpec& spec) : window_(static_cast<std::uint64_t>(spec.axi.outstanding)) {}

  void step() {
    const Walk walk(fabric::read_call(start));
    for (std::uint64_t pass = 0; pass < walk.passes; ++pass) read(walk, pass);
    finished.push({});
  }

 private:
  void read(const Walk& walk, std::uint64_t pass) {
    std::uint64_t asked = 0;
    std::uint64_t came = 0;  // bytes
    while (came < walk.bursts * walk.burst) {
      // A region that finds no room waits for data to be taken, so it is not waited for.
      if (asked < walk.bursts && asked - came / walk.burst < window_ && regions[0].room())
        regions[0].push({.at = walk.at(pass, asked++), .bytes = walk.burst});
      else
        came += data[0].read().bytes;
    }
  }

  std::uint64_t window_;
};

/// Writes as fast as its port takes; a pass begins when all of the one before is in memory.
class DeviceWrite : public offload::KernelPorts {
 public:
  explicit DeviceWrite(const KernelSpec& spec) : axi_(spec.axi) {}

  void step() {
    const Walk walk(fabric::read_call(start));
    for (std::uint64_t pass = 0; pass < walk.passes; ++pass) {
      for (std::uint64_t index = 0; index < walk.bursts; ++index)
        write(walk.at(pass, index), walk.burst, index + 1 == walk.bursts);
      written[0].read();
    }
    finished.push({});
  }

 private:
  void write(fabric::DeviceAddress to, std::uint64_t bytes, bool last) {
    while (bytes > 0) {
      const std::uint32_t now = axi_.first_burst(to.byte, bytes);
      bytes -= now;
      fabric::AxiStore& store = stores[0].slot();
      store.channel = to.channel;
      store.last = last && bytes == 0;
      store.write.address = to.byte;
      store.write.burst.bytes = now;
      std::fill_n(store.write.burst.data.begin(), now, std::byte{0});
      to.byte += now;
    }
  }

  fabric::AxiSpec axi_;
};

}  // namespace

std::vector<offload::KernelModel> memory_kernels() {
  return {offload::kernel_model<DeviceRead>("device_read"), offload::kernel_model<DeviceWrite>("device_write")};
}

}  // namespace isthmus::probes
