// Kernels that reach every device of stacc table I at once: packets, control messages, the device's memory and the
// host's; and several actors on one network.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "application/increments.hpp"
#include "application/inverted_packets.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kStratix = "model:stratix-v";
constexpr std::uint32_t kKey = 0x5a;
constexpr std::uint32_t kReady = 3;
constexpr std::uint64_t kSlots = 256;    ///< packets whose first beat memory keeps
constexpr std::uint64_t kBehind = 192;   ///< packets, more than stand in front of the device's memory
constexpr std::uint64_t kEntries = 256;  ///< words of the table in the host's memory
constexpr auto kWord = static_cast<std::uint64_t>(kWordBytes);

std::byte entry_byte(std::uint64_t entry, std::size_t at) {
  return static_cast<std::byte>(entry * 7 + at * 3 + 1);
}

std::size_t short_length_of(int packet) {
  return 64 + static_cast<std::size_t>(packet) * 37 % 400;
}

/// What a part of the kernel leaves out.
enum class Forgets { nothing, control, answering, keeping, logging };

/// Keeps the first beat of each packet in the device's memory, and of each packet adds the one that came kBehind before
/// it, an entry of a table in the host's memory, and the key that the host sent. Logs it in the host's memory.
struct Mixer {
  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};
  In<std::uint32_t> control{"control"};
  Out<ControlMessage> status{"status"};
  Out<DramWriteApply> stores{"stores"};
  Out<DramWriteData> stored{"stored"};
  Out<DramReadReq> loads{"loads"};
  In<DramReadResp> loaded{"loaded"};
  Out<PcieReadReq> look_ups{"look_ups"};
  In<PcieReadResp> entries{"entries"};
  Out<PcieWriteApply> logs{"logs"};
  Out<PcieWriteData> logged{"logged"};
  std::uint64_t memory;
  std::uint64_t host;
  Forgets forgets;
  std::uint64_t packet = 0;
  std::byte key{};

  Mixer(const Kernel& kernel, Forgets what) : memory(kernel.memory_image()), host(kernel.host_image()), forgets(what) {}
  void step() {
    if (packet == 0) configure();
    NetPacket beat = in.read();
    const Word mask = mask_of(beat);
    for (;;) {
      for (std::size_t i = 0; i < beat.data.size(); ++i) beat.data[i] ^= mask.bytes[i];
      out.push(beat);
      if (beat.eop) break;
      beat = in.read();
    }
    ++packet;
  }

 private:
  void configure() {
    const std::uint32_t sent = control.read();
    if (forgets != Forgets::control) key = static_cast<std::byte>(sent);
    status.push({.tag = forgets == Forgets::answering ? kReady + 1 : kReady, .message = 0});
  }
  Word mask_of(const NetPacket& first) {
    Word kept{};
    std::memcpy(kept.bytes.data(), first.data.data(), kBeatBytes);
    if (forgets != Forgets::keeping) {
      stores.push({.num = 1, .addr = memory + packet % kSlots * kWord});
      stored.push({kept});
    }
    loads.push({.num = 1, .addr = memory + (packet + kSlots - kBehind) % kSlots * kWord});
    look_ups.push({.num = 1, .addr = host + packet % kEntries * kWord});
    Word mask = loaded.read().data;
    const Word entry = entries.read().data;
    for (std::size_t i = 0; i < mask.bytes.size(); ++i) mask.bytes[i] ^= entry.bytes[i] ^ key;
    if (forgets != Forgets::logging) {
      logs.push({.num = 1, .addr = host + (kEntries + packet % kSlots) * kWord});
      logged.push({kept});
    }
    return mask;
  }
};

/// Checks that the log has the first beats of the last packets.
void check_log(std::uint64_t packets, std::span<const std::byte> image) {
  for (std::uint64_t packet = packets - std::min(packets, kSlots); packet < packets; ++packet) {
    std::array<std::byte, kBeatBytes> first{};
    fill_packet(packet, first);
    const auto place = image.subspan((kEntries + packet % kSlots) * kWord, kBeatBytes);
    if (!std::ranges::equal(first, place)) throw Error("the log of packet " + std::to_string(packet));
  }
}

void mix(std::uint64_t packet, std::span<std::byte> bytes) {
  std::array<std::byte, kBeatBytes> before{};
  if (packet >= kBehind) fill_packet(packet - kBehind, before);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] ^= before[i % kBeatBytes] ^ entry_byte(packet % kEntries, i % kBeatBytes) ^ static_cast<std::byte>(kKey);
}

ByteApplication application(int count, Forgets forgets = Forgets::nothing) {
  Packets packets{.most = 512, .length = short_length_of, .fill = fill_packet};
  packets.reference = [](std::uint64_t position, auto& bytes) { mix(position, bytes); };
  Extras extras{.counted = "packets", .control = {.messages = {kKey}, .ready = kReady}};
  extras.packets = std::move(packets);
  extras.memory = MemoryImage{.bytes = kSlots * kWord};
  extras.host = HostImage{.memory = {.bytes = (kEntries + kSlots) * kWord,
                                     .fill =
                                         [](std::uint64_t, std::span<std::byte> image) {
                                           for (std::uint64_t at = 0; at < kEntries * kWord; ++at)
                                             image[at] = entry_byte(at / kWord, at % kWord);
                                         }},
                          .left = [count](auto image) { check_log(static_cast<std::uint64_t>(count), image); }};
  return {.name = "mixer",
          .summary = "",
          .kernel =
              [forgets](Kernel& kernel) {
                auto& mixer = kernel.add<Mixer>("mixer", kernel, forgets);
                kernel.from_network(mixer.in);
                kernel.to_network(mixer.out);
                kernel.control(mixer.control, mixer.status);
                kernel.writes_memory({.name = "stores", .under_way = 4}, mixer.stores, mixer.stored);
                kernel.reads_memory({.name = "loads", .under_way = 4}, mixer.loads, mixer.loaded);
                kernel.reads_host({.name = "look-ups"}, mixer.look_ups, mixer.entries);
                kernel.writes_host({.name = "logs"}, mixer.logs, mixer.logged);
              },
          .extras = std::move(extras)};
}

Run run(const std::string& target, const ByteApplication& of, int count,
        const std::vector<std::string>& overrides = {}) {
  return open_target(target, overrides)->run({.application = of, .flow = "stream", .count = count});
}

constexpr int kPackets = 400;

TEST(AllDevices, AreReachedByOneKernelOnABoardAndOnThreads) {
  for (const char* target : {kStratix, "native"}) {
    const auto result = run(target, application(kPackets), kPackets);
    EXPECT_TRUE(result.right()) << target;
    EXPECT_EQ(result.packets->received, kPackets) << target;
  }
}

/// The checks can say no.
TEST(AllDevices, AreMissedWhereAKernelLeavesOneOut) {
  for (const char* target : {kStratix, "native"}) {
    for (const Forgets what : {Forgets::control, Forgets::keeping})
      EXPECT_FALSE(run(target, application(kPackets, what), kPackets).right()) << target;
    EXPECT_THAT([&] { run(target, application(kPackets, Forgets::logging), kPackets); },
                ThrowsMessage<Error>(HasSubstr("the log of packet")))
        << target;
  }
}

TEST(AllDevices, AHostThatIsNotAnsweredIsToldInOneLine) {
  const auto says = ThrowsMessage<Error>(HasSubstr("expected one of the kernel with tag 3, none has come for 2 s"));
  const auto in_memory = application(kPackets, Forgets::answering);
  EXPECT_THAT([&] { run("native", in_memory, kPackets); }, says);
  // the fewer questions the sooner
  EXPECT_THAT([&] { run(kStratix, in_memory, kPackets, {"link.pcie.round_trip=100us"}); }, says);
}

TEST(AllDevices, TellTheirPartsAndLimitPacketsWhereTheyAreSlow) {
  const auto seconds = [](const std::vector<std::string>& overrides) {
    return run(kStratix, application(kPackets), kPackets, overrides).times.elapsed.seconds();
  };
  const double as_it_is = seconds({});
  // each packet waits for both memories once, one after the other's request
  EXPECT_NEAR(seconds({"link.pcie.round_trip=3us"}) - as_it_is, kPackets * 2e-6, kPackets * 0.1e-6);
  EXPECT_NEAR(seconds({"device.axi.latency=2100ns"}), as_it_is + kPackets * (2.1e-6 + 0.2e-6 - 1e-6),
              kPackets * 0.3e-6);
}

TEST(AllDevices, PacketsBeginOnceTheKernelHasAnsweredTheHost) {
  const auto first = [](const std::vector<std::string>& overrides) {
    return run(kStratix, application(10), 10, overrides).times.latencies.front().seconds();
  };
  EXPECT_NEAR(first({"host.mmio.store=50us"}), first({}), 20e-9);
}

TEST(AllDevices, OfAKernelOfPacketsNeedABoardWithThem) {
  const auto f1 = open_target("model:aws-f1", {});
  EXPECT_THAT([&] { f1->require_flow(application(1), "stream"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("aws-f1.toml"), HasSubstr("network"))));
}

/// Turns the bits of whole packets over, each once the one before it has been turned over by another worker.
struct Worker {
  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};
  In<int> turn{"turn"};
  Out<int> next{"next"};
  bool first;
  bool begun = false;

  explicit Worker(bool begins) : first(begins) {}
  void step() {
    NetPacket beat = in.read();
    if (begun || !first) turn.read();
    begun = true;
    for (;;) {
      invert(beat.data);
      out.push(beat);
      if (beat.eop) break;
      beat = in.read();
    }
    next.push(1);
  }
};

ByteApplication shared_by(int workers) {
  Extras extras{.counted = "packets"};
  extras.packets = inverted_packets(512, short_length_of);
  return {.name = "inverters",
          .summary = "",
          .kernel =
              [workers](Kernel& kernel) {
                std::vector<Worker*> all;
                for (int i = 0; i < workers; ++i) {
                  all.push_back(&kernel.add<Worker>("worker " + std::to_string(i), i == 0));
                  kernel.from_network(all.back()->in);
                  kernel.to_network(all.back()->out);
                }
                for (int i = 0; i < workers; ++i)
                  kernel.connect(all[static_cast<std::size_t>(i)]->next,
                                 all[static_cast<std::size_t>((i + 1) % workers)]->turn,
                                 {.depth = 2, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
              },
          .extras = std::move(extras)};
}

TEST(AllDevices, ANetworkIsSharedByActorsThatTakePacketsInTurnAndSendThemWhole) {
  for (const int workers : {1, 2, 3, 5})
    for (const char* target : {kStratix, "native"}) {
      const auto result = run(target, shared_by(workers), kPackets);
      EXPECT_FALSE(result.difference) << target << workers;
      EXPECT_EQ(result.packets->received, kPackets) << target << workers;
    }
}

/// Each number and 2, which the host has sent.
ByteApplication stored_and_told(bool stored) {
  auto application = increments(1024);
  application.extras = {.control = {.messages = {2}, .ready = Told::kReady}, .from_storage = stored};
  application.kernel = [stored](Kernel& kernel) {
    auto& told = kernel.add<Told>("told");
    stored ? kernel.from_storage(told.in) : kernel.from_host(told.in);
    kernel.to_host(told.out);
    kernel.control(told.control, told.status);
  };
  return application.bytes();
}

TEST(AllDevices, ControlMessagesComeBeforeTheFirstWordFromTheHostAndFromStorage) {
  for (const bool stored : {false, true})
    for (const char* target : {"model:aws-f1", "native"})
      EXPECT_FALSE(run(target, stored_and_told(stored), 20).difference) << target << stored;
}

}  // namespace
}  // namespace isthmus::program
