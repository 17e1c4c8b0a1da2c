#pragma once

#include <memory>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/probes/sampler.hpp"

namespace isthmus::probes {

enum class Access { read, write };

/// The twins of kernels/device_read.cl and kernels/device_write.cl on a modelled board.
std::vector<offload::KernelModel> memory_kernels();

/// The time that a kernel takes to read or write `size` bytes of the device's memory once, in stretches of `burst`
/// bytes that lie scattered in it; the launch is taken off. At 64 bytes that is the latency of the memory. What a real
/// device keeps in its caches from one pass to the next counts as its memory.
std::unique_ptr<Sampler> memory_passes(offload::Device& device, Access access, Bytes size, Bytes burst);

/// The time of a kernel that does nothing, from the call that enqueues it to the return of the wait for it.
std::unique_ptr<Sampler> launches(offload::Device& device);

}  // namespace isthmus::probes
