#include "isthmus/offload/device.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::offload {
namespace {

std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> values(bytes);
  for (std::size_t at = 0; at < bytes; ++at) values[at] = static_cast<std::byte>(at * 7 + 1);
  return values;
}

TEST(Queue, ABoxIsCopiedRowByRowAndNothingBesideIt) {
  const auto device = open_opencl("opencl:0");
  const auto queue = device->queue();
  const BoxPlace from{.offset = 35, .row_pitch = 16, .slice_pitch = 96};
  const BoxPlace to{.offset = 12, .row_pitch = 10, .slice_pitch = 40};
  const BoxSize size{5, 3, 2};
  const auto out = counted(200);
  const auto source = device->buffer(out.size());
  const auto target = device->buffer(100);
  queue->write(source, 0, out);
  std::vector<std::byte> wanted(100);
  queue->write(target, 0, wanted);
  queue->copy_box(source, from, target, to, size);
  for (std::size_t slice = 0; slice < size[2]; ++slice)
    for (std::size_t row = 0; row < size[1]; ++row)
      for (std::size_t byte = 0; byte < size[0]; ++byte)
        wanted[to.offset + slice * to.slice_pitch + row * to.row_pitch + byte] =
            out[from.offset + slice * from.slice_pitch + row * from.row_pitch + byte];
  std::vector<std::byte> got(100);
  queue->read(target, 0, got);
  EXPECT_EQ(got, wanted);
}

TEST(Queue, ABoxThatLeavesABufferIsRefused) {
  const auto device = open_opencl("opencl:0");
  const auto queue = device->queue();
  const auto small = device->buffer(64);
  const auto large = device->buffer(256);
  const BoxPlace place{.offset = 0, .row_pitch = 16, .slice_pitch = 64};
  EXPECT_THROW(queue->copy_box(large, place, small, place, {8, 4, 2}), Error);
  EXPECT_THROW(queue->copy_box(small, place, large, place, {8, 4, 2}), Error);
  EXPECT_NO_THROW(queue->copy_box(small, place, large, place, {16, 4, 1}));
}

TEST(Queue, BuffersAreMappedTogetherAndTheDeviceFindsWhatTheHostWroteThere) {
  const auto device = open_opencl("opencl:0");
  const auto queue = device->queue();
  const auto values = counted(300);
  const std::vector buffers{device->buffer(values.size()), device->buffer(values.size())};
  for (const Buffer& each : buffers) queue->write(each, 0, values);
  {
    std::vector<StartedMap> maps;
    maps.reserve(buffers.size());
    for (const Buffer& each : buffers) maps.push_back(queue->start_map(each));
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
    queue->read(buffers[index], 0, got);
    EXPECT_EQ(got, wanted);
  }
}

TEST(Queue, WhatComesAfterACommandOfAnotherQueueSeesWhatItDid) {
  const auto device = open_opencl("opencl:0");
  const auto one = device->queue();
  const auto other = device->queue();
  const auto first = device->buffer(std::size_t{1} << 24U);
  const auto second = device->buffer(first.size());
  for (int turn = 0; turn < 20; ++turn) {
    const auto value = static_cast<std::byte>(turn + 1);
    const auto filled = one->fill(first, {&value, 1});
    one->flush();
    other->after({filled});
    other->copy(first, 0, second, 0, first.size());
    std::vector<std::byte> last(1);
    other->read(second, second.size() - 1, last);
    EXPECT_EQ(last.front(), value);
  }
}

/// The twin of the kernel below.
class AddToEach : public WordKernel {
 public:
  using WordKernel::WordKernel;
  void step() {
    const fabric::KernelCall call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(number_argument(call.arguments[2])) * sizeof(std::int32_t);
    const std::int32_t addend = number_argument(call.arguments[3]);
    begin_writing(address_argument(call.arguments[1]), bytes);
    read_words(address_argument(call.arguments[0]), bytes, [&](Word word) {
      std::array<std::int32_t, sizeof(Word) / sizeof(std::int32_t)> numbers{};
      std::memcpy(numbers.data(), word.bytes.data(), sizeof word);
      for (std::int32_t& each : numbers) each += addend;
      std::memcpy(word.bytes.data(), numbers.data(), sizeof word);
      WordKernel::write(word);
    });
    finish();
  }
};

constexpr const char* kAddToEach =
    "__kernel void add_to_each(__global const int *in, __global int *out, int count, int addend) {\n"
    "  for (int i = 0; i < count; ++i) out[i] = in[i] + addend;\n"
    "}\n";

std::unique_ptr<Device> opened(const std::string& target) {
  if (target.starts_with("opencl:")) return open_opencl(target);
  return open_device(target, {}, {kernel_model<AddToEach>("add_to_each")});
}

class AnyDevice : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Device> device_ = opened(GetParam());
};

TEST_P(AnyDevice, WritesLaunchesReadsAndWaitsThroughOneInterface) {
  constexpr std::int32_t kAddend = -5;
  std::vector<std::int32_t> sent(4096);
  std::iota(sent.begin(), sent.end(), 100);
  std::vector<std::int32_t> got(sent.size());
  const ProgramSource source{.file = "add_to_each.cl", .text = kAddToEach};
  const auto program = device_->program({&source, 1}, {});
  EXPECT_FALSE(program->has("subtract_from_each"));
  const Kernel kernel = program->kernel("add_to_each");
  const std::size_t half = bytes_of(sent).size() / 2;
  const Buffer in = device_->buffer(2 * half);
  const Buffer out = device_->buffer(2 * half);
  const auto copies = device_->queue();
  const auto launches = device_->queue();
  const Moment before = device_->now();
  device_->run([&] {
    copies->write(in, half, bytes_of(std::as_const(sent)).last(half));
    const Event written = copies->start_write(in, 0, bytes_of(std::as_const(sent)).first(half));
    copies->flush();
    const auto count = static_cast<std::uint32_t>(sent.size());
    const Event launched = launches->launch(kernel, NdRange::single(), {&in, &out, count, kAddend}, {written});
    launches->flush();
    copies->after({launched});
    const Event read = copies->start_read(out, half, bytes_of(got).last(half));
    copies->read(out, 0, bytes_of(got).first(half));
    read.wait();
    copies->finish();
    launches->finish();
    EXPECT_LE(written.span().end, launched.span().start);
    EXPECT_LE(launched.span().end, read.span().start);
    const Span span = launched.span();
    EXPECT_LT(span.start, span.end);
    EXPECT_LE(span.length(), device_->now() - before);
  });
  EXPECT_GT(device_->now(), before);
  for (std::int32_t& each : sent) each += kAddend;
  EXPECT_EQ(got, sent);
}

TEST_P(AnyDevice, RefusesACopyThatLeavesABuffer) {
  const Buffer buffer = device_->buffer(64);
  const auto queue = device_->queue();
  std::vector<std::byte> bytes(33);
  device_->run([&] {
    EXPECT_THROW(queue->write(buffer, 32, bytes), Error);
    EXPECT_THROW(queue->read(buffer, 32, bytes), Error);
    EXPECT_THROW(queue->start_read(buffer, 65, bytes), Error);
    EXPECT_NO_THROW(queue->write(buffer, 31, bytes));
  });
}

INSTANTIATE_TEST_SUITE_P(OnPoclAndOnAModel, AnyDevice, testing::Values("opencl:0", "model:aws-f1"));

TEST(ModelDevice, IsInVirtualTimeAndSoTheSameEachTime) {
  const auto took = [] {
    const auto device = opened("model:aws-f1");
    const auto values = counted(1 << 20);
    const Buffer buffer = device->buffer(values.size());
    const auto queue = device->queue();
    device->run([&] { queue->write(buffer, 0, values); });
    return device->now().seconds();
  };
  const double first = took();
  EXPECT_EQ(first, took());
  // A MiB at some GB/s of PCIe, and what the calls cost.
  EXPECT_GT(first, (1 << 20) / 16e9);
}

TEST(ModelDevice, TellsWhatItsMachineHasNoPartFor) {
  const auto device = opened("model:aws-f1");
  const Buffer buffer = device->buffer(64);
  const auto queue = device->queue();
  const auto refuses = [](const auto& call, const char* what) {
    EXPECT_THAT(call, testing::ThrowsMessage<Error>(testing::HasSubstr(what)));
  };
  refuses([&] { queue->copy(buffer, 0, buffer, 32, 32); }, "a copy within the device's memory");
  refuses([&] { queue->map(buffer); }, "a buffer mapped to the host");
  refuses([&] { queue->flush(), queue->finish(); }, "a command outside Device::run");
  refuses([&] { device->program_from_binary("x.aocx"); }, "the binary of a program");
}

}  // namespace
}  // namespace isthmus::offload
