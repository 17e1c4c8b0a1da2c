#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::program {

/// The part of a message's input that one buffer of the device holds, by its place in DeviceKernel::inputs.
struct InputBuffer {
  std::size_t index = 0;
};
/// The same of its output.
struct OutputBuffer {
  std::size_t index = 0;
};
/// What DeviceKernel::constants holds at that place.
struct ConstantBuffer {
  std::size_t index = 0;
};
/// A buffer that launches of one message hand to each other, by its place in DeviceKernel::scratch.
struct ScratchBuffer {
  std::size_t index = 0;
};

/// The application's data in the device's memory.
struct ImageBuffer {};

/// An argument of a kernel, in the order of its signature.
using KernelArgument =
    std::variant<InputBuffer, OutputBuffer, ConstantBuffer, ScratchBuffer, ImageBuffer, std::int32_t>;

/// An application as an OpenCL kernel, of which one launch, or several after another, turn a message into its output:
/// kernels/<name>.cl on real devices, its twin as an actor on models.
struct DeviceKernel {
  offload::KernelModel twin;
  std::vector<KernelArgument> arguments;
  std::size_t columns = 1;  ///< work items in a row
  std::size_t rows = 1;
  /// Bytes of each buffer that a message's input is cut into; empty: one buffer holds all of it.
  std::vector<std::size_t> inputs{};
  std::vector<std::size_t> outputs{};
  /// Tells whether outputs may be shorter (Extras::output_bytes): there are two buffers, of which the second, read
  /// first, begins with 64 bit, little-endian, that say how many bytes of the first are output; it follows them.
  bool length_last = false;
  /// Tells whether the host keeps each of them in pinned memory; empty: in none.
  std::vector<bool> pinned_inputs{};
  std::vector<bool> pinned_outputs{};
  /// Buffers that are written once, before the first launch.
  std::vector<std::vector<std::byte>> constants{};
  /// Bytes of buffers that the host never touches.
  std::vector<std::size_t> scratch{};
  /// The arguments of a message's launches after the first, of an application that iterates.
  std::vector<std::vector<KernelArgument>> further{};
};

}  // namespace isthmus::program
