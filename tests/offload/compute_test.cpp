#include "isthmus/offload/compute.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus::offload {
namespace {

std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> values(bytes);
  for (std::size_t at = 0; at < bytes; ++at) values[at] = static_cast<std::byte>(at * 7 + 1);
  return values;
}

TEST(ComputeQueue, ABoxIsCopiedRowByRowAndNothingBesideIt) {
  const auto device = ComputeDevice::open("opencl:0");
  auto queue = device.queue();
  const BoxPlace from{.offset = 35, .row_pitch = 16, .slice_pitch = 96};
  const BoxPlace to{.offset = 12, .row_pitch = 10, .slice_pitch = 40};
  const BoxSize size{5, 3, 2};
  const auto out = counted(200);
  const auto source = device.buffer(out.size());
  const auto target = device.buffer(100);
  queue.write(source, 0, out);
  std::vector<std::byte> wanted(100);
  queue.write(target, 0, wanted);
  queue.copy_box(source, from, target, to, size);
  for (std::size_t slice = 0; slice < size[2]; ++slice)
    for (std::size_t row = 0; row < size[1]; ++row)
      for (std::size_t byte = 0; byte < size[0]; ++byte)
        wanted[to.offset + slice * to.slice_pitch + row * to.row_pitch + byte] =
            out[from.offset + slice * from.slice_pitch + row * from.row_pitch + byte];
  std::vector<std::byte> got(100);
  queue.read(target, 0, got);
  EXPECT_EQ(got, wanted);
}

TEST(ComputeQueue, ABoxThatLeavesABufferIsRefused) {
  const auto device = ComputeDevice::open("opencl:0");
  auto queue = device.queue();
  const auto small = device.buffer(64);
  const auto large = device.buffer(256);
  const BoxPlace place{.offset = 0, .row_pitch = 16, .slice_pitch = 64};
  EXPECT_THROW(queue.copy_box(large, place, small, place, {8, 4, 2}), Error);
  EXPECT_THROW(queue.copy_box(small, place, large, place, {8, 4, 2}), Error);
  EXPECT_NO_THROW(queue.copy_box(small, place, large, place, {16, 4, 1}));
}

TEST(ComputeQueue, BuffersAreMappedTogetherAndTheDeviceFindsWhatTheHostWroteThere) {
  const auto device = ComputeDevice::open("opencl:0");
  auto queue = device.queue();
  const auto values = counted(300);
  const std::vector<ComputeBuffer> buffers{device.buffer(values.size()), device.buffer(values.size())};
  for (const ComputeBuffer& each : buffers) queue.write(each, 0, values);
  {
    std::vector<StartedMap> maps;
    maps.reserve(buffers.size());
    for (const ComputeBuffer& each : buffers) maps.push_back(queue.start_map(each));
    for (std::size_t index = 0; index < maps.size(); ++index) {
      maps[index].mapped.wait();
      const auto bytes = maps[index].memory.bytes();
      EXPECT_TRUE(std::ranges::equal(bytes, values));
      bytes[17 + index] = std::byte{255};
    }
  }
  for (std::size_t index = 0; index < buffers.size(); ++index) {
    std::vector<std::byte> wanted = values;
    wanted[17 + index] = std::byte{255};
    std::vector<std::byte> got(values.size());
    queue.read(buffers[index], 0, got);
    EXPECT_EQ(got, wanted);
  }
}

TEST(ComputeQueue, WhatComesAfterACommandOfAnotherQueueSeesWhatItDid) {
  const auto device = ComputeDevice::open("opencl:0");
  auto one = device.queue();
  auto other = device.queue();
  const auto first = device.buffer(std::size_t{1} << 24U);
  const auto second = device.buffer(first.size());
  for (int turn = 0; turn < 20; ++turn) {
    const auto value = static_cast<std::byte>(turn + 1);
    const auto filled = one.fill(first, {&value, 1});
    one.flush();
    other.after({&filled, 1});
    other.copy(first, 0, second, 0, first.size());
    std::vector<std::byte> last(1);
    other.read(second, second.size() - 1, last);
    EXPECT_EQ(last.front(), value);
  }
}

}  // namespace
}  // namespace isthmus::offload
