// The pinned memory of a worker's transfers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "offload/model/host_parts.hpp"

namespace isthmus::offload::model {
namespace {

std::int64_t up_to(std::int64_t unit, std::int64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

RC_GTEST_PROP(Staging, HoldsNoMoreThanItsLargestTransferNeeds, ()) {
  const fabric::DmaSpec dma{.rate = {},
                            .descriptor_size = {32},
                            .descriptor_payload = {*rc::gen::inRange<std::int64_t>(64, 100'000)},
                            .descriptors_in_flight = 8,
                            .read_request = {},
                            .read_buffer = {},
                            .interrupt = 0};
  PinnedMemory memory;
  Staging staging(memory, dma, std::nullopt);
  std::int64_t largest = 0;
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
    Command command;
    command.bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
    staging.prepare(command);
    largest = std::max(largest, static_cast<std::int64_t>(command.bytes));
    const std::int64_t descriptors = up_to(dma.descriptor_payload.count, largest) / dma.descriptor_payload.count;
    RC_ASSERT(memory.allocated().count == up_to(64, largest) + up_to(64, 32 * descriptors));
    RC_ASSERT(memory.at(command.job.descriptors, 32 * command.job.count) != nullptr);
    RC_ASSERT(command.pinned.size() == command.bytes);
  }
}

}  // namespace
}  // namespace isthmus::offload::model
