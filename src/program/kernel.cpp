#include "isthmus/program/kernel.hpp"

#include <fmt/format.h>

#include <cmath>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// Control messages that wait, and answers: registers, read by a host that asks for them one by one.
constexpr int kMessages = 64;
constexpr int kAnswers = 16;

}  // namespace

void Kernel::control(In<std::uint32_t>& in, Out<ControlMessage>& out) {
  if (ends_.control == nullptr || ends_.status == nullptr)
    throw Error("a kernel takes control messages: expected some of its application, got none");
  graph_.connect(*ends_.control, in, fifo(kMessages));
  graph_.connect(out, *ends_.status, fifo(kAnswers));
}

DeviceMemoryEnds& Kernel::memory() const {
  if (ends_.memory == nullptr)
    throw Error("a kernel reaches the device's memory: expected an image there of its application, got none");
  return *ends_.memory;
}

int Kernel::reads_to_cover_memory() const {
  const RandomReads reads = memory().random_reads();
  const int depth = depth_to_cover(reads);
  if (ends_.note)
    ends_.note(fmt::format("reads of device memory under way: {}, for {:.0f} M/s of {:.0f} ns each", depth,
                           reads.per_second * 1e-6, reads.latency.seconds() * 1e9));
  return depth;
}

int depth_to_cover(const RandomReads& reads) {
  return static_cast<int>(std::ceil(reads.latency.seconds() * reads.per_second)) + 1;
}

}  // namespace isthmus::program
