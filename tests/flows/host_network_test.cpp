// Packets that come to a board's host over a network, go to the device between copies, and out again.
#include <gmock/gmock.h>

#include <numeric>

#include "application/inverted_packets.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/word_kernel.hpp"
#include "platform/without_section.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kStratix = "model:stratix-v";
constexpr std::size_t kPlace = 1600;
constexpr double kLine = 40e9 / 8 / (1500 + 24);  // packets of 1500 B a second

/// Turns every bit of a message over.
class Turn : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;
  void step() {
    const auto call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(offload::number_argument(call.arguments[2]));
    begin_writing(offload::address_argument(call.arguments[1]), bytes);
    read_words(offload::address_argument(call.arguments[0]), bytes, [this](Word word) {
      invert(word.bytes);
      write(word);
    });
    work();
    finish();
  }
};

std::span<std::byte> begin_place(std::size_t length, std::span<std::byte> place) {
  std::memcpy(place.data(), &length, sizeof(length));
  return place.subspan(sizeof(length), length);
}

struct Sharing {
  int batch = 8;
  int host_threads = 3;
  double load = 1;
};

ByteApplication turner(
    const Sharing& sharing, std::function<std::size_t(int)> length = [](int) { return 1500; }) {
  const auto message = static_cast<std::size_t>(sharing.batch) * kPlace;
  Packets packets = inverted_packets(1536, std::move(length));
  packets.enter = [](std::uint64_t, std::span<const std::byte> bytes, std::span<std::byte> place) {
    std::ranges::copy(bytes, begin_place(bytes.size(), place).begin());
  };
  packets.leave = [](std::span<const std::byte> place) {
    std::size_t turned = 0;
    std::memcpy(&turned, place.data(), sizeof(turned));
    return place.subspan(sizeof(turned), ~turned);
  };
  packets.load = sharing.load;
  ByteApplication application;
  application.name = "turner";
  application.input = application.output = message;
  application.fill = fill_packet;
  application.reference = [](std::span<const std::byte> in, std::span<std::byte> out) {
    std::ranges::copy(in, out.begin());
    invert(out);
  };
  application.extras = {.counted = "packets", .in_message = sharing.batch};
  application.extras.device =
      DeviceKernel{.twin = offload::kernel_model<Turn>("turn"),
                   .arguments = {InputBuffer{}, OutputBuffer{}, static_cast<std::int32_t>(message)}};
  application.extras.host_threads = sharing.host_threads;
  application.extras.packets = std::move(packets);
  return application;
}

Run run(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {},
        std::uint64_t schedule_seed = 0) {
  return open_target(kStratix, overrides)
      ->run({.application = application, .flow = "offload", .count = messages, .schedule_seed = schedule_seed});
}

/// Packets a second of a run twice as long as another, without the way in and out.
double rate(const Sharing& sharing, int messages, const std::vector<std::string>& overrides = {}) {
  const auto application = turner(sharing);
  const auto shorter = run(application, messages, overrides);
  const auto longer = run(application, 2 * messages, overrides);
  EXPECT_TRUE(shorter.right() && longer.right());
  return messages * sharing.batch / (longer.times.elapsed - shorter.times.elapsed).seconds();
}

TEST(HostNetwork, BringsPacketsOfAnyLengthToTheDeviceAndBackWhole) {
  for (const int threads : {1, 3, 16}) {
    auto application = turner({.batch = 7, .host_threads = threads}, length_of);
    std::vector<int> received;
    application.extras.packets->received = [&](int packet, std::span<const std::byte>) { received.push_back(packet); };
    const auto result = run(application, 200);
    EXPECT_FALSE(result.difference) << threads;
    ASSERT_TRUE(result.packets) << threads;
    EXPECT_EQ(result.packets->received, 1400) << threads;
    EXPECT_TRUE(result.packets->whole()) << threads;
    std::vector<int> all(1400);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(received, all) << threads;
  }
}

TEST(HostNetwork, APacketThatComesBackWrongIsFound) {
  auto application = turner({});
  application.extras.packets->enter = [enter = application.extras.packets->enter](std::uint64_t position,
                                                                                  std::span<const std::byte> bytes,
                                                                                  std::span<std::byte> place) {
    enter(position, bytes, place);
    if (position == 33) place[700] ^= std::byte{1};
  };
  const auto result = run(application, 20);
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->message, 33);
  EXPECT_EQ(result.difference->elements, 1);
}

TEST(HostNetwork, APacketThatTheDeviceLeavesOutIsLost) {
  auto application = turner({});
  application.extras.packets->leave = [leave = application.extras.packets->leave](std::span<const std::byte> place) {
    const auto packet = leave(place);
    return packet[1] == ~byte_of(40, 1) ? packet.first(0) : packet;
  };
  const auto result = run(application, 20);
  ASSERT_TRUE(result.packets);
  EXPECT_EQ(result.packets->lost, 1);
  EXPECT_FALSE(result.right());
}

double median(std::vector<Time> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return middle->seconds();
}

TEST(HostNetwork, APacketByItselfTakesNetworkStackAndTheWayToTheDeviceOneAfterTheOther) {
  const Sharing alone{.batch = 1, .host_threads = 1, .load = 0.005};
  auto beside = turner(alone);
  beside.extras.packets.reset();  // the same messages, from the host's memory
  const double device = median(run(beside, 41).times.latencies);
  const double network = 2 * (1 / kLine + 11.2e-6);
  for (const auto& [setting, stack] : {std::pair("host.network.packet=0.3us", 20e-6),
                                       {"host.network.packet=4us", 20e-6},
                                       {"host.network.latency=30us", 30e-6}})
    EXPECT_NEAR(median(run(turner(alone), 41, {setting}).times.latencies), network + stack + device, 0.1e-6) << setting;
}

TEST(HostNetwork, PassesAsManyPacketsAsItsCoresWorkOnTwice) {
  for (const int cores : {1, 2, 3}) {
    const double most = cores / (2 * 5e-6);
    EXPECT_NEAR(rate({}, 100, {"host.network.packet=5us", "host.network.cores=" + std::to_string(cores)}), most,
                0.02 * most);
  }
}

TEST(HostNetwork, PassesNoMoreThanTheLineAndWhatIsOffered) {
  EXPECT_NEAR(rate({}, 100, {"network.rate=4Gbit/s"}), kLine / 10, 0.01 * kLine / 10);
  EXPECT_NEAR(rate({.load = 0.1}, 100), kLine / 10, 0.01 * kLine / 10);
}

TEST(HostNetwork, GivesMoreWithLargerBatchesAndMoreThreadsUntilTheDataPathIsFull) {
  double before = 0;
  for (const Sharing& sharing : {Sharing{.batch = 1, .host_threads = 1},
                                 {.batch = 8, .host_threads = 1},
                                 {.batch = 64, .host_threads = 1},
                                 {.batch = 64, .host_threads = 3}}) {
    const double now = rate(sharing, 40);
    EXPECT_GT(now, 1.2 * before) << sharing.batch << " " << sharing.host_threads;
    before = now;
  }
  // 16 bytes at 200 MHz, of which a place of 1600 bytes takes its own and the headers of its packets of PCIe.
  EXPECT_LT(before, 16 * 200e6 / kPlace);
  EXPECT_GT(before, 0.75 * 16 * 200e6 / kPlace);
}

TEST(HostNetwork, OverADataPathAndLanesOfOneRateGivesMoreWhereBothAreFaster) {
  const Sharing many{.batch = 64, .host_threads = 3};
  const std::string path = "link.pcie.user_clock=400MHz";
  const std::string lanes = "link.pcie.generation=3";
  const double as_it_is = rate(many, 40);
  EXPECT_LT(rate(many, 40, {path}), 1.1 * as_it_is);
  EXPECT_LT(rate(many, 40, {lanes}), 1.1 * as_it_is);
  EXPECT_GT(rate(many, 40, {path, lanes}), 1.3 * as_it_is);
}

TEST(HostNetwork, TellsTheCoresThatWorked) {
  const auto result = run(turner({}), 200, {"host.network.packet=5us", "host.network.cores=2"});
  EXPECT_GT(result.packets->cores, 1.95);
  EXPECT_LT(result.packets->cores, 2.6) << "three threads that seldom have a packet";
}

TEST(HostNetwork, TakesTheSameTimeInWhateverOrderActorsRun) {
  const auto application = turner({.batch = 3, .host_threads = 5});
  const auto first = run(application, 60).times;
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto other = run(application, 60, {}, seed).times;
    EXPECT_EQ(other.latencies, first.latencies);
    EXPECT_EQ(other.computing, first.computing);
  }
}

TEST(HostNetwork, NeedsPlacesForPacketsAndANetwork) {
  auto application = turner({});
  const auto stratix = open_target(kStratix, {});
  const TemporaryFolder folder;
  const std::string stratix_v = read_text(data_file("platforms/stratix-v.toml"));
  const std::string without =
      folder.written("no-network.toml", platform::testing::without_section(stratix_v, "network"));
  EXPECT_THAT([&] { open_target(without, {})->require_flow(application, "offload"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("no-network.toml"), HasSubstr("network"))));
  application.extras.packets->leave = {};
  EXPECT_THAT([&] { run(application, 1); }, ThrowsMessage<Error>(HasSubstr("expected places of packets")));
}

}  // namespace
}  // namespace isthmus::program
