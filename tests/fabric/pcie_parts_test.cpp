// Parts of a link by themselves: receipts, how reads are split and answered, pinned memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/pcie_device.hpp"
#include "isthmus/fabric/root_port.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus::fabric {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Tlps packet(Tlps::Kind kind, std::uint16_t bytes) {
  Tlps tlp{};
  tlp.kind = kind;
  tlp.packets = 1;
  tlp.bytes = bytes;
  return tlp;
}

TEST(Receipts, AnAckIsDueForEveryFewPacketsAndAnUpdateForEveryFewOfOneType) {
  Receipts receipts({.ack_every = 2, .update_fc_every = 3});
  std::vector<int> acks;
  std::vector<int> updates;
  for (int i = 1; i <= 6; ++i) {
    const Dllps due = receipts.took(packet(Tlps::Kind::write, 128));
    if (due.acks > 0) acks.push_back(i);
    if (due.updates > 0) {
      updates.push_back(i);
      EXPECT_EQ(due.credits, (Credits{.posted_headers = 3, .posted_data = 24}));
    }
  }
  EXPECT_THAT(acks, ElementsAre(2, 4, 6));
  EXPECT_THAT(updates, ElementsAre(3, 6));
}

TEST(Receipts, CompletionsTakeNoCredits) {
  Receipts receipts({.update_fc_every = 1});
  EXPECT_EQ(receipts.took(packet(Tlps::Kind::completion, 128)).updates, 0);
  EXPECT_EQ(receipts.kept(), Credits{});
}

TEST(Receipts, AnUpdateNeverWaitsForMorePacketsThanTheCreditsAllow) {
  Receipts receipts({.update_fc_every = 3, .posted_header_credits = 64, .posted_data_credits = 16});
  EXPECT_EQ(receipts.took(packet(Tlps::Kind::write, 128)).updates, 0);
  EXPECT_EQ(receipts.took(packet(Tlps::Kind::write, 128)).updates, 1) << "two payloads of 128 bytes are all 16 units";
}

TEST(Receipts, OfPacketsThatCameTogetherAreThoseOfOneAfterTheOther) {
  Receipts together({});
  Receipts apart({});
  Dllps all_apart{};
  int all_together = 0;
  for (int i = 0; i < 5; ++i) {
    Tlps four = packet(Tlps::Kind::write, 512);
    four.packets = 4;
    all_together += together.took(four).count();
    for (int j = 0; j < 4; ++j) {
      const Dllps due = apart.took(packet(Tlps::Kind::write, 128));
      all_apart.acks += due.acks;
      all_apart.updates += due.updates;
    }
  }
  EXPECT_EQ(all_together, all_apart.count());
  EXPECT_EQ(all_apart.acks, 6) << "20 packets, an Ack for every three";
}

TEST(Packets, GoTogetherAsFarAsHalfTheCreditsLast) {
  EXPECT_EQ(packets_together({.max_payload = Bytes{128}}), 4);
  EXPECT_EQ(packets_together({.max_payload = Bytes{256}}), 2);
  EXPECT_EQ(packets_together({.posted_header_credits = 5}), 2);
  EXPECT_EQ(packets_together({.posted_data_credits = 8}), 1) << "one payload of 128 bytes";
}

TEST(Completions, EndAtTheBoundaryButForTheLast) {
  const PcieLinkSpec spec{.max_payload = Bytes{128}, .read_completion_boundary = Bytes{128}};
  std::vector<std::int64_t> sizes;
  std::uint64_t addr = 64;
  for (std::int64_t left = 384; left > 0; left -= sizes.back()) {
    sizes.push_back(completion_bytes(spec, addr, left));
    addr += static_cast<std::uint64_t>(sizes.back());
  }
  EXPECT_THAT(sizes, ElementsAre(64, 128, 128, 64));
}

struct Requests {
  Out<PcieReadReq> out;
  std::vector<PcieReadReq> list;
  std::size_t next = 0;
  explicit Requests(std::vector<PcieReadReq> requests) : list(std::move(requests)) {}
  void step() { out.push(list[next++]); }
  bool done() const { return next == list.size(); }
};

struct Parts {
  In<PcieReadPart> in;
  std::vector<PcieReadPart> seen;
  void step() { seen.push_back(in.read()); }
  bool done() const { return false; }
};

/// Keeps what is freed to itself: tags come back only from here.
struct NoTags {
  In<PcieReadPart> in;
  Out<std::uint16_t> out;
  void step() { in.read(); }
  bool done() const { return false; }
};

TEST(PcieReader, SplitsAtTheLargestRequestAndAtPages) {
  Graph graph;
  const ActorOptions clock{.clock = Clock{Frequency::mhz(250)}};
  auto& requests = graph.add<Requests>("requests", clock, std::vector<PcieReadReq>{{.num = 16, .addr = 4096 - 256}});
  auto& reader = graph.add<PcieReader>("reader", clock, PcieLinkSpec{.max_read_request = Bytes{512}});
  auto& parts = graph.add<Parts>("parts", clock);
  auto& tags = graph.add<NoTags>("tags", clock);
  graph.connect(requests.out, reader.in);
  graph.connect(reader.parts, parts.in);
  graph.connect(reader.expected, tags.in);
  graph.connect(tags.out, reader.freed_tags);
  graph.run();
  ASSERT_EQ(parts.seen.size(), 3U);
  EXPECT_EQ(parts.seen[0].bytes, 256);
  EXPECT_EQ(parts.seen[1].addr, 4096U);
  EXPECT_EQ(parts.seen[1].bytes, 512);
  EXPECT_EQ(parts.seen[2].bytes, 256);
}

/// Answers to reads of different tags, shuffled among each other; those of one tag stay in order.
struct Shuffled {
  Out<Tlps> out{"out"};
  Out<PcieReadPart> expected{"expected"};
  std::vector<Tlps> tlps;
  std::vector<PcieReadPart> parts;
  bool sent = false;
  Shuffled(std::vector<Tlps> answers, std::vector<PcieReadPart> order)
      : tlps(std::move(answers)), parts(std::move(order)) {}
  void step() {
    for (const auto& part : parts) expected.push(part);
    for (const auto& tlp : tlps) out.push(tlp);
    sent = true;
  }
  bool done() const { return sent; }
};

struct Words {
  In<PcieReadResp> in;
  std::vector<int> seen;
  void step() { seen.push_back(std::to_integer<int>(in.read().data.bytes[0])); }
  bool done() const { return false; }
};

template <class T>
struct Drain {
  In<T> in;
  int count = 0;
  void step() {
    in.read();
    ++count;
  }
  bool done() const { return false; }
};

TEST(PcieReceiver, PutsAnswersInTheOrderOfTheirRequests) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<PcieReadPart> parts;
    std::vector<std::vector<Tlps>> answers;
    std::vector<int> expected;
    int value = 0;
    for (std::uint16_t tag = 0; tag < 6; ++tag) {
      const int packets = 1 + static_cast<int>(random() % 3);
      parts.push_back({.tag = tag, .bytes = static_cast<std::uint16_t>(packets * 128), .addr = 0});
      auto& answer = answers.emplace_back();
      for (int i = 0; i < packets; ++i) {
        Tlps tlp = packet(Tlps::Kind::completion, 128);
        tlp.tag = tag;
        for (const std::size_t at : {0U, 64U}) {
          tlp.payload[at] = static_cast<std::byte>(value);
          expected.push_back(value++);
        }
        answer.push_back(tlp);
      }
    }
    std::vector<Tlps> sent;
    while (!answers.empty()) {
      const auto which = answers.begin() + static_cast<std::ptrdiff_t>(random() % answers.size());
      sent.push_back(which->front());
      which->erase(which->begin());
      if (which->empty()) answers.erase(which);
    }
    Graph graph;
    const ActorOptions clock{.clock = Clock{Frequency::mhz(250)}};
    auto& link = graph.add<Shuffled>("link", clock, sent, parts);
    auto& receiver = graph.add<PcieReceiver>("receiver", clock, PcieLinkSpec{});
    auto& words = graph.add<Words>("words", clock);
    auto& tags = graph.add<Drain<std::uint16_t>>("tags", clock);
    auto& mmio = graph.add<Drain<MmioRequest>>("mmio", clock);
    auto& dllps = graph.add<Drain<Dllps>>("dllps", clock);
    graph.connect(link.out, receiver.in);
    graph.connect(link.expected, receiver.expected, {.depth = 8});
    graph.connect(receiver.data, words.in);
    graph.connect(receiver.freed_tags, tags.in);
    graph.connect(receiver.mmio, mmio.in);
    graph.connect(receiver.dllps, dllps.in);
    graph.run();
    EXPECT_EQ(words.seen, expected);
    EXPECT_EQ(tags.count, 6);
  }
}

TEST(PinnedMemory, IsTheDevicesOnlyWhereItWasAllocatedAndNobodyElseHoldsIt) {
  PinnedMemory memory;
  const auto first = memory.allocate(Bytes{100});
  const auto second = memory.allocate(Bytes{8192});
  EXPECT_EQ(first.addr % 4096, 0U);
  EXPECT_GE(second.addr, first.addr + 4096);
  EXPECT_EQ(memory.at(second.addr + 64, 64), second.bytes.data() + 64);
  EXPECT_THAT([&] { memory.at(first.addr + 64, 64); }, ThrowsMessage<Error>(HasSubstr("pass the end")));
  EXPECT_THAT([&] { memory.at(0x1000, 64); }, ThrowsMessage<Error>(HasSubstr("0x1000 is no pinned memory")));
  auto loan = memory.lend(second.addr);
  EXPECT_THAT([&] { memory.at(second.addr, 64); }, ThrowsMessage<Error>(HasSubstr("while a host thread holds it")));
  loan.end();
  EXPECT_NO_THROW(memory.at(second.addr, 64));
}

}  // namespace
}  // namespace isthmus::fabric
