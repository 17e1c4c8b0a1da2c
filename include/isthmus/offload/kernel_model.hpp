#pragma once

#include <functional>
#include <string>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/dma.hpp"

namespace isthmus::offload {

/// What a kernel's actor may know of the board.
struct KernelSpec {
  Clock clock;
  fabric::AxiSpec axi;
  Bytes onchip_capacity;
  int onchip_latency;  ///< cycles
};

/// Where a kernel's actor is tied to its machine: a start, a reading and a writing AXI port, an end.
struct KernelEnds {
  In<fabric::KernelStart>& start;
  Out<fabric::AxiRegion>& regions;
  In<fabric::AxiBurst>& data;
  Out<fabric::AxiStore>& stores;
  In<fabric::AxiDone>& written;
  Out<fabric::KernelDone>& done;
};

/// The twin of kernels/<name>.cl on a modelled board: an actor that computes the bytes. `add` adds it to a graph as
/// `actor`; it throws Error where the board has no room for it.
struct KernelModel {
  std::string name;
  std::function<KernelEnds(Graph&, const std::string& actor, const KernelSpec&)> add;
};

/// An argument of a kernel as its start carries it: a buffer is its memory channel and address, an integer itself.
std::uint64_t kernel_argument(fabric::DeviceAddress at);
std::uint64_t kernel_argument(std::int32_t value);
fabric::DeviceAddress address_argument(std::uint64_t argument);
std::int32_t integer_argument(std::uint64_t argument);

}  // namespace isthmus::offload
