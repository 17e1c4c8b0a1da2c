// Kernels that read and write the device's memory, of a modelled board and of this machine.
#include "isthmus/application/device_memory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "flows/stream/stream_flow.hpp"
#include "flows/threads/native.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/program.hpp"

namespace isthmus::program {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t kWords = 64;    ///< of a message
constexpr std::uint64_t kBehind = 8;    ///< messages
constexpr std::uint64_t kSlots = 1024;  ///< messages in memory: more than may be asked for and not yet read
constexpr std::uint64_t kNumbers = kWords * kWordBytes / sizeof(std::uint64_t);

/// Writes each message to memory and asks for the one that came `kBehind` before it: more words than stand in front of
/// memory, which have been written by then.
struct Keeper {
  In<StreamWord> in{"in"};
  Out<DramWriteApply> stores{"stores"};
  Out<DramWriteData> words{"words"};
  Out<DramReadReq> loads{"loads"};
  std::uint64_t image;
  std::uint64_t word = 0;

  explicit Keeper(std::uint64_t at) : image(at) {}
  void step() {
    const StreamWord next = in.read();
    if (word % kWords == 0) {
      stores.push({.num = kWords, .addr = slot(word / kWords)});
      loads.push({.num = kWords, .addr = slot(word / kWords + kSlots - kBehind)});
    }
    words.push({next.data});
    ++word;
  }
  std::uint64_t slot(std::uint64_t message) const { return image + message % kSlots * kWords * kWordBytes; }
};

struct Returner {
  In<DramReadResp> words{"words"};
  Out<StreamWord> out{"out"};
  std::uint64_t word = 0;
  void step() {
    const DramReadResp next = words.read();
    out.push({.data = next.data, .last = ++word % kWords == 0});
  }
};

void fill_message(int number, std::span<std::uint64_t> message) {
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::uint64_t>(number) << 32U | i;
}

/// Keeper and returner over an image that lies there.
void add_delay_line(Kernel& kernel, std::uint64_t image, std::uint64_t first_word = 0) {
  auto& keeper = kernel.add<Keeper>("keeper", image);
  auto& returner = kernel.add<Returner>("returner");
  kernel.from_host(keeper.in);
  kernel.writes_memory({.name = "writes", .under_way = 4}, keeper.stores, keeper.words);
  kernel.reads_memory({.name = "reads", .under_way = 4}, keeper.loads, returner.words);
  kernel.to_host(returner.out);
  keeper.word = first_word;
}

/// A delay line in device memory: the first messages give what lies there.
Application<std::uint64_t, std::uint64_t> delay_line() {
  Extras extras;
  extras.memory = MemoryImage{.bytes = kSlots * kWords * kWordBytes,
                              .fill = [](std::uint64_t offset, std::span<std::byte> stretch) {
                                for (std::size_t at = 0; at < stretch.size(); at += sizeof(std::uint64_t)) {
                                  const std::uint64_t value = (offset + at) * 3;
                                  std::memcpy(stretch.data() + at, &value, sizeof(value));
                                }
                              }};
  return {.name = "delay-line",
          .summary = "what came eight messages before",
          .input = kNumbers,
          .output = kNumbers,
          .kernel = [](Kernel& kernel) { add_delay_line(kernel, kernel.memory_image()); },
          .fill = fill_message,
          .reference =
              [](std::span<const std::uint64_t> in, std::span<std::uint64_t> out) {
                const std::uint64_t number = in[0] >> 32U;
                if (number >= kBehind) return fill_message(static_cast<int>(number - kBehind), out);
                for (std::size_t i = 0; i < out.size(); ++i)
                  out[i] = ((number + kSlots - kBehind) * kNumbers + i) * sizeof(std::uint64_t) * 3;
              },
          .extras = extras};
}

BoardRun on_f1(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {}) {
  return run_stream(platform::load(platform::file_of("model:aws-f1"), overrides),
                    {.application = application, .flow = "stream", .count = messages});
}

TEST(DeviceMemory, AKernelReadsWhatItHasWrittenAndWhatLayThere) {
  const ByteApplication application = delay_line().bytes();
  EXPECT_FALSE(on_f1(application, 300).run.difference);
  EXPECT_FALSE(run_native({.application = application, .flow = "stream", .count = 300}).run.difference);
}

/// The check can say no: a kernel whose writes go elsewhere.
TEST(DeviceMemory, AWriteToAnotherPlaceIsSeen) {
  auto application = delay_line();
  application.kernel = [](Kernel& kernel) { add_delay_line(kernel, kernel.memory_image(), kWords); };
  EXPECT_TRUE(on_f1(application.bytes(), 10).run.difference);
  EXPECT_TRUE(run_native({.application = application.bytes(), .flow = "stream", .count = 10}).run.difference);
}

TEST(DeviceMemory, AnAddressOutsideOfItIsRefused) {
  auto application = delay_line();
  application.kernel = [](Kernel& kernel) { add_delay_line(kernel, std::uint64_t{1} << 60U); };
  EXPECT_THAT([&] { on_f1(application.bytes(), 1); }, ThrowsMessage<Error>(HasSubstr("device address 0x1000")));
  EXPECT_THAT([&] { run_native({.application = application.bytes(), .flow = "stream", .count = 1}); },
              ThrowsMessage<Error>(HasSubstr("device address 0x1000")));
}

TEST(DeviceMemory, AKernelWithoutAnImageReachesNone) {
  auto application = delay_line();
  application.extras.memory.reset();
  EXPECT_THAT([&] { on_f1(application.bytes(), 1); }, ThrowsMessage<Error>(HasSubstr("expected an image there")));
}

TEST(DeviceMemory, ItsPartsAreToldWithTheirKeys) {
  const BoardRun run = on_f1(delay_line().bytes(), 20, {"device.axi.latency=2us"});
  const auto named = [&](const std::string& name) {
    return std::ranges::any_of(run.parts, [&](const platform::Part& part) { return part.name == name; });
  };
  for (const char* name : {"writes's bursts under way", "reads's bursts under way", "device DRAM"})
    EXPECT_TRUE(named(name)) << name;
}

TEST(DeviceMemory, TheDepthThatCoversALatencyIsLittlesLaw) {
  EXPECT_EQ(depth_to_cover({.latency = Time::ns(200), .per_second = 78e6}), 17);
  EXPECT_EQ(depth_to_cover({.latency = Time::ns(900), .per_second = 1e6}), 2);
}

TEST(DeviceMemory, TheUserIsToldHowManyReadsCoverItWithTheRateAndLatencyThatSaySo) {
  auto application = delay_line();
  const auto kernel = application.kernel;
  int reads = 0;
  application.kernel = [&](Kernel& of) {
    reads = of.reads_to_cover_memory();
    kernel(of);
  };
  std::vector<std::string> told;
  const auto board = platform::load(platform::file_of("model:aws-f1"), {});
  const ByteApplication bytes = application.bytes();
  run_stream(board, {.application = bytes, .flow = "stream", .count = 1, .note = [&](const std::string& text) {
                       told.push_back(text);
                     }});
  ASSERT_FALSE(told.empty());
  const auto memory = platform::random_reads(platform::needed(platform::board_spec(board).memory));
  const double period = 1 / board.the("kernel").frequency("clock").hertz();
  const double latency = memory.latency.seconds() + 4 * period;  // a register at each of both ends, both ways
  EXPECT_EQ(reads, static_cast<int>(std::ceil(latency * memory.per_second)) + 1);
  EXPECT_EQ(told.front(), fmt::format("reads of device memory under way: {}, for {:.0f} M/s of {:.0f} ns each", reads,
                                      memory.per_second / 1e6, latency * 1e9));
}

}  // namespace
}  // namespace isthmus::program
