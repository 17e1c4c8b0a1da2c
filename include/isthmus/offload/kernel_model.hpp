#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/registers.hpp"
#include "isthmus/stream/vocabulary.hpp"

namespace isthmus::offload {

/// Facts of the board that a kernel's actor may use.
struct KernelSpec {
  Clock clock;
  fabric::AxiSpec axi;
  Bytes onchip_capacity;
  int onchip_latency;  ///< cycles
};

/// The base of a kernel's actor, which connects it to its machine: a start, AXI ports to memory, each of which reads
/// and writes, an end.
struct KernelPorts {
  In<fabric::KernelStore> start{"start"};
  PortArray<Out<fabric::AxiRegion>> regions;
  PortArray<In<fabric::AxiBurst>> data;
  PortArray<Out<fabric::AxiStore>> stores;
  PortArray<In<fabric::AxiDone>> written;
  Out<fabric::KernelDone> finished{"finished"};

  explicit KernelPorts(std::size_t ports = 1)
      : regions(ports, "regions"), data(ports, "data"), stores(ports, "stores"), written(ports, "written") {}
  /// It ends with the registers that start it.
  bool done() const { return false; }
};

/// The name of the accesses to memory that a kernel waits for, one at a time, in reports.
inline constexpr const char* kKernelAccesses = "accesses";

/// The twin of kernels/<name>.cl on a modelled board: an actor that computes the bytes. `add` adds it to a graph as
/// `actor`; it throws Error where the board has no room for it.
struct KernelModel {
  std::string name;
  std::function<KernelPorts&(Graph&, const std::string& actor, const KernelSpec&)> add;
  bool one_access = false;  ///< it waits for each access to memory, of which it keeps an Occupancy kKernelAccesses of 1
};

/// The model whose actor is a Kernel, made from the board's KernelSpec.
template <class Kernel>
KernelModel kernel_model(const std::string& name) {
  return {.name = name, .add = [](Graph& graph, const std::string& actor, const KernelSpec& spec) -> KernelPorts& {
            return graph.add<Kernel>(actor, {.clock = spec.clock, .group = kDeviceGroup}, spec);
          }};
}

/// An argument of a kernel as its start carries it: a buffer is its memory channel and address, a number its bytes.
std::uint64_t kernel_argument(fabric::DeviceAddress at);
fabric::DeviceAddress address_argument(std::uint64_t argument);

template <class Number>
requires std::is_arithmetic_v<Number> std::uint64_t kernel_argument(Number value) {
  std::uint64_t argument = 0;
  std::memcpy(&argument, &value, sizeof(value));
  return argument;
}
template <class Number = std::int32_t>
Number number_argument(std::uint64_t argument) {
  Number value;
  std::memcpy(&value, &argument, sizeof(value));
  return value;
}

}  // namespace isthmus::offload
