#include "isthmus/base/scatter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "isthmus/offload/open.hpp"

namespace isthmus::probes {
namespace {

std::vector<std::uint32_t> places(std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = scattered(i, count);
  return all;
}

/// How many of the steps from a burst to the one `lag` later are the most frequent one, as a share.
double commonest_stride(const std::vector<std::uint32_t>& at, std::size_t lag) {
  std::map<std::uint64_t, int> seen;
  for (std::size_t i = 0; i + lag < at.size(); ++i)
    ++seen[(std::uint64_t{at[i + lag]} + at.size() - at[i]) % at.size()];
  const auto most = std::ranges::max_element(seen, {}, [](const auto& one) { return one.second; });
  return static_cast<double>(most->second) / static_cast<double>(at.size());
}

std::vector<std::uint32_t> random_counts() {
  std::mt19937 random(std::random_device{}());
  std::vector<std::uint32_t> counts(20);
  for (auto& count : counts) count = std::uniform_int_distribution<std::uint32_t>(1, 300000)(random);
  return counts;
}

void expect_each_once(std::uint32_t count) {
  std::vector<std::uint32_t> at = places(count);
  std::ranges::sort(at);
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(at[i], i) << "of " << count;
}

TEST(Scatter, EveryBurstHasAPlaceOfItsOwnWhateverTheirNumber) {
  for (std::uint32_t count = 1; count <= 600; ++count) expect_each_once(count);
  for (const std::uint32_t count : random_counts()) expect_each_once(count);
  for (const std::uint32_t count : {65535U, 65536U, 65537U}) expect_each_once(count);
}

TEST(Scatter, NoStrideIsCommonAtAnyDistance) {
  for (std::uint32_t count : {64U, 100U, 256U, 1000U, 1024U, 4096U, 65536U, 100003U})
    for (std::size_t lag = 1; lag <= 16; ++lag)
      EXPECT_LT(commonest_stride(places(count), lag), count < 1024 ? 0.2 : 0.02) << count << " bursts, lag " << lag;
}

/// A device of PoCL with room for `bursts` of two pieces of 16 bytes.
class OnDevice {
 public:
  OnDevice(const char* name, std::uint32_t bursts) : bursts_(bursts), kernel_(device_->kernel(name)) {}

  std::vector<std::uint32_t> memory() const { return read(memory_); }
  std::vector<std::uint32_t> sink() const { return read(sink_); }
  void fill(const std::vector<std::uint32_t>& words) {
    queue_->write(memory_, 0, offload::bytes_of(words));
    queue_->write(sink_, 0, std::vector<std::byte>(16));
  }
  /// The first `items` work items, one pass.
  void launch(std::uint32_t items) {
    const auto bursts = static_cast<std::int32_t>(bursts_);
    queue_->launch(kernel_, {.global = {items, 1, 1}}, {&memory_, &sink_, 2, bursts, 0, 1}).wait();
  }

 private:
  std::vector<std::uint32_t> read(const offload::Buffer& buffer) const {
    std::vector<std::uint32_t> words(buffer.size() / 4);
    queue_->read(buffer, 0, offload::bytes_of(words));
    return words;
  }

  std::uint32_t bursts_;
  std::unique_ptr<offload::Device> device_ = offload::open_device("opencl:0", {});
  offload::Kernel kernel_;
  offload::Buffer memory_ = device_->buffer(std::size_t{bursts_} * 32);
  offload::Buffer sink_ = device_->buffer(16);
  std::unique_ptr<offload::Queue> queue_ = device_->queue();
};

TEST(Scatter, OfTheWritingKernelIsThatOfTheModel) {
  for (const std::uint32_t bursts : {1U, 2U, 37U, 64U, 1000U, 4097U}) {
    OnDevice device("device_write", bursts);
    device.launch(2 * bursts);
    const auto words = device.memory();
    for (std::uint32_t item = 0; item < 2 * bursts; ++item)
      ASSERT_EQ(words[4 * (2 * scattered(item / 2, bursts) + item % 2)], item) << "of " << bursts << " bursts";
  }
}

// What is read tells nothing of where, so one piece alone is marked: only the work item that reads it brings it back.
TEST(Scatter, OfTheReadingKernelIsThatOfTheModel) {
  for (const std::uint32_t bursts : {1U, 5U, 37U}) {
    OnDevice device("device_read", bursts);
    for (std::uint32_t item = 0; item < 2 * bursts; ++item) {
      std::vector<std::uint32_t> words(std::size_t{8} * bursts);
      words[4 * (2 * scattered(item / 2, bursts) + item % 2) + 1] = 1;
      device.fill(words);
      if (item > 0) {
        device.launch(item);
        ASSERT_EQ(device.sink()[1], 0U) << "item " << item << " of " << bursts << " bursts";
      }
      device.launch(item + 1);
      ASSERT_EQ(device.sink()[1], 1U) << "item " << item << " of " << bursts << " bursts";
    }
  }
}

}  // namespace
}  // namespace isthmus::probes
