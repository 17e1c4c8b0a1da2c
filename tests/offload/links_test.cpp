// Boards of several links: transfers go over all of them at once, unless one is named.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/boards_of_links.hpp"

namespace isthmus::offload {
namespace {

using over_links::board_of_links;
using over_links::board_of_links_alone;
using over_links::payload_rate;
using over_links::QueueOfTransfers;

using over_links::transfer;
using over_links::Transferred;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

/// Nothing but the links and the host's memory takes time worth telling.
const over_links::Overrides kTransfersAlone = {"host.call.transfer=5us", "host.call.enqueue=1us", "host.call.wake=1us",
                                               "host.alloc.enabled=false", "device.dram.kernel_channels=4"};

over_links::Overrides and_also(over_links::Overrides overrides, const over_links::Overrides& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

std::vector<QueueOfTransfers> queues_of_one_thread(std::size_t count, const std::vector<std::int64_t>& sizes) {
  return {count, {.thread = 0, .sizes = sizes, .pinned = true, .back = false}};
}

double elapsed_s(const platform::Description& board, const std::vector<QueueOfTransfers>& queues,
                 const std::string& channel = "") {
  const auto device = open_model(board, {}, {.channel = channel});
  const Transferred done = transfer(*device, queues);
  EXPECT_TRUE(done.right);
  return done.elapsed.seconds();
}

/// A random link, as overrides of the `number`th.
over_links::Overrides some_link(int number) {
  static const std::vector<std::vector<std::string>> kChoices = {
      {"lanes=2", "lanes=4", "lanes=8", "lanes=16"},
      {"generation=2", "generation=4"},
      {"max_payload=256"},
      {"tags=8", "tags=64"},
      {"round_trip=600ns", "round_trip=3us"},
      {"user_clock=200MHz", "user_clock=300MHz"},
  };
  over_links::Overrides overrides;
  for (const auto& choice : kChoices)
    if (*rc::gen::inRange(0, 2) == 0)
      overrides.push_back(fmt::format("link.vh{}.{}", number, *rc::gen::elementOf(choice)));
  return overrides;
}

platform::Description some_board() {
  const int links = *rc::gen::inRange(1, 4);
  over_links::Overrides overrides = kTransfersAlone;
  for (int link = 0; link < links; ++link) overrides = and_also(std::move(overrides), some_link(link));
  if (*rc::gen::inRange(0, 3) == 0) overrides.emplace_back("host.memory.channels=1");
  if (*rc::gen::inRange(0, 3) == 0) overrides.emplace_back("host.runtime.staging=chunked");
  if (*rc::gen::inRange(0, 4) == 0) overrides.emplace_back("host.iommu.enabled=true");
  return board_of_links(links, overrides);
}

std::vector<QueueOfTransfers> some_queues() {
  std::vector<QueueOfTransfers> queues(*rc::gen::inRange<std::size_t>(1, 7));
  const auto threads = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    queues[i] = {.thread = i < threads ? i : *rc::gen::inRange<std::size_t>(0, threads),
                 .sizes = {},
                 .pinned = *rc::gen::arbitrary<bool>(),
                 .back = *rc::gen::arbitrary<bool>()};
    for (int count = *rc::gen::inRange(1, 4); count > 0; --count)
      queues[i].sizes.push_back(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << *rc::gen::inRange(6, 20)));
  }
  return queues;
}

double host_rate(const platform::Description& board) {
  return platform::needed(platform::board_spec(board).host).bandwidth.bytes_per_second;
}

TEST(Links, MoveWhatIsAskedForAndNeverMoreThanAllOfThemCan) {
  EXPECT_TRUE(rc::check([] {
    const platform::Description board = some_board();
    const auto device = open_model(board, {});
    const Transferred done = transfer(*device, some_queues());
    RC_ASSERT(done.right);
    double links = 0;
    for (int link = 0; link < static_cast<int>(board.channels().size()); ++link) links += payload_rate(board, link);
    RC_ASSERT(done.elapsed.seconds() >= std::max(done.to_device, done.to_host) / links);
    RC_ASSERT(done.elapsed.seconds() >= (done.to_device + done.to_host) / host_rate(board));
  }));
}

TEST(Links, AreChosenAsTimeWillHaveItInWhateverOrderActorsRun) {
  EXPECT_TRUE(rc::check([] {
    const platform::Description board = some_board();
    const std::vector<QueueOfTransfers> queues = some_queues();
    const auto elapsed = [&](std::uint64_t order) {
      const auto device = open_model(board, {});
      device->shuffle(order);
      return transfer(*device, queues).elapsed;
    };
    RC_ASSERT(elapsed(*rc::gen::arbitrary<std::uint64_t>()) == elapsed(0));
  }));
}

TEST(Links, OfOneKindTakeAPartOfTheTimeThatOneTakes) {
  const auto queues = queues_of_one_thread(12, {4 * kMebibyte});
  const double one = elapsed_s(board_of_links(1, and_also(kTransfersAlone, {"dma.rate=32GB/s"})), queues);
  for (const int links : {2, 3}) {
    const platform::Description board = board_of_links(links, and_also(kTransfersAlone, {"dma.rate=32GB/s"}));
    EXPECT_NEAR(elapsed_s(board, queues) * links / one, 1, 0.03) << links;
  }
}

TEST(Links, AreUsedByAThreadEachToo) {
  std::vector<QueueOfTransfers> queues;
  for (std::size_t thread = 0; thread < 2; ++thread)
    queues.push_back({.thread = thread, .sizes = {8 * kMebibyte}, .pinned = true, .back = false});
  EXPECT_NEAR(
      elapsed_s(board_of_links(2, kTransfersAlone), queues) / elapsed_s(board_of_links(1, kTransfersAlone), queues),
      0.5, 0.02);
}

TEST(Links, OfDifferentWidthsShareTheBytesByIt) {
  const over_links::Overrides narrow = and_also(kTransfersAlone, {"link.vh1.lanes=8"});
  const auto queues = queues_of_one_thread(12, {2 * kMebibyte});
  const double both = elapsed_s(board_of_links(2, narrow), queues);
  EXPECT_NEAR(both / elapsed_s(board_of_links(1, kTransfersAlone), queues), 2.0 / 3, 0.03);
}

// Memory that moves 8 GB/s is slower than one link already.
TEST(Links, AreNoFasterThanTheHostsMemory) {
  const over_links::Overrides scarce =
      and_also(kTransfersAlone, {"host.memory.transfer_rate=1000", "host.memory.channels=1"});
  const auto queues = queues_of_one_thread(4, {4 * kMebibyte});
  const double bound = 16.0 * kMebibyte / 8e9;
  for (const int links : {1, 2, 3}) {
    const double took = elapsed_s(board_of_links(links, scarce), queues);
    EXPECT_GT(took, bound);
    EXPECT_LT(took, bound * 1.05) << links;
  }
}

TEST(Links, WithNothingElseUnderWayLeaveATransferToTheFastest) {
  const auto queues = queues_of_one_thread(1, {kMebibyte, kMebibyte, kMebibyte});
  const over_links::Overrides narrow = and_also(kTransfersAlone, {"link.vh0.lanes=8"});
  const auto channel = [](int link) { return fmt::format("vh{}", link); };
  EXPECT_EQ(elapsed_s(board_of_links(2, narrow), queues), elapsed_s(board_of_links(2, narrow), queues, channel(1)));
  EXPECT_EQ(elapsed_s(board_of_links(2, kTransfersAlone), queues),
            elapsed_s(board_of_links(2, kTransfersAlone), queues, channel(0)));
}

/// The busy share of a part in the last run; 0 if there is no such part.
double busy_share(const ModelDevice& device, const std::string& name) {
  const auto part = std::ranges::find(device.parts(), name, &platform::Part::name);
  return part == device.parts().end() ? 0 : part->busy.seconds() / part->lifetime.seconds();
}

TEST(Links, OfWhichOneIsNamedLeaveTransfersToIt) {
  const platform::Description board = board_of_links(3, kTransfersAlone);
  const auto queues = queues_of_one_thread(4, {kMebibyte});
  const platform::Description one = board_of_links(1, kTransfersAlone);
  for (const char* channel : {"vh0", "vh1", "vh2"})
    EXPECT_EQ(elapsed_s(board, queues, channel), elapsed_s(one, queues));
}

TEST(Links, OfASeparateDirectionEachAreUsedWhereBothWaysAreUnderWay) {
  const auto device = open_model(board_of_links(2, kTransfersAlone), {});
  const auto queue = device->queue();
  const auto other = device->queue();
  const auto buffer = device->buffer(4 * kMebibyte);
  const auto second = device->buffer(4 * kMebibyte);
  const auto sent = device->pinned(4 * kMebibyte);
  const auto back = device->pinned(4 * kMebibyte);
  device->run({{"writer", [&] { queue->write(buffer, 0, sent.bytes()); }},
               {"reader", [&] { other->read(second, 0, back.bytes()); }}});
  EXPECT_GT(busy_share(*device, "vh0/PCIe host to device"), 0.8);
  EXPECT_GT(busy_share(*device, "vh1/PCIe device to host"), 0.8);
}

TEST(Links, AreNamedInReportsWhereTheBoardHasSeveral) {
  const auto device = open_model(board_of_links(2, kTransfersAlone), {});
  transfer(*device, queues_of_one_thread(4, {kMebibyte}));
  for (const std::string link : {"vh0", "vh1"})
    for (const char* own :
         {"PCIe tags", "PCIe host to device", "PCIe device to host", "DMA engine", "DMA descriptors"}) {
      const auto part = std::ranges::find(device->parts(), link + "/" + own, &platform::Part::name);
      ASSERT_NE(part, device->parts().end()) << link << own;
      for (const std::string& key : part->keys)
        EXPECT_TRUE(!key.starts_with("link.") || key.starts_with("link." + link + ".")) << key;
    }
  for (const char* shared : {"host memory", "device DRAM", "doorbells and interrupts"})
    EXPECT_EQ(std::ranges::count(device->parts(), shared, &platform::Part::name), 1) << shared;
}

TEST(Links, AreNotNamedInReportsWhereTheBoardHasOne) {
  const auto device = open_model(board_of_links(1, kTransfersAlone), {});
  transfer(*device, queues_of_one_thread(2, {kMebibyte}));
  for (const platform::Part& part : device->parts()) EXPECT_EQ(part.name.find('/'), std::string::npos) << part.name;
}

// A section of another name is the same link.
TEST(Links, OfWhichThereIsOneTellWhatTheyEverTold) {
  const std::vector<QueueOfTransfers> queues{{.thread = 0, .sizes = {5000, 70'000}, .pinned = false, .back = true},
                                             {.thread = 1, .sizes = {300'000}, .pinned = true, .back = true}};
  const auto f1 = open_model(platform::load(platform::file_of("model:aws-f1")), {});
  const auto renamed = open_model(board_of_links(1), {});
  EXPECT_EQ(transfer(*f1, queues).elapsed, transfer(*renamed, queues).elapsed);
  ASSERT_EQ(f1->parts().size(), renamed->parts().size());
  for (std::size_t i = 0; i < f1->parts().size(); ++i) {
    EXPECT_EQ(f1->parts()[i].name, renamed->parts()[i].name);
    EXPECT_EQ(f1->parts()[i].busy, renamed->parts()[i].busy);
  }
}

TEST(Links, HoldTheLimitOfWhatTheyMove) {
  const over_links::Overrides narrow = and_also(kTransfersAlone, {"link.vh0.lanes=2", "link.vh1.lanes=2"});
  const auto device = open_model(board_of_links(2, narrow), {});
  const auto memory = device->pinned(2 * kMebibyte);
  const std::array queues{device->queue(), device->queue()};
  const std::array buffers{device->buffer(2 * kMebibyte), device->buffer(2 * kMebibyte)};
  device->run({{"thread", [&] {
                  for (std::size_t i = 0; i < queues.size(); ++i)
                    queues.at(i)->start_write(buffers.at(i), 0, memory.bytes());
                  for (const auto& queue : queues) queue->finish();
                }}});
  EXPECT_THAT(bottleneck(device->parts(), device->last_run(), device->path()).part,
              AnyOf("vh0/PCIe host to device", "vh1/PCIe host to device"));
}

/// Ends as soon as it is started.
struct Ends : KernelPorts {
  explicit Ends(const KernelSpec&) {}
  void step() {
    fabric::read_call(start);
    finished.push({});
  }
};

TEST(Links, WithoutEnginesStartKernelsOverTheFirst) {
  const auto launched = [](int links) {
    const auto device = open_model(board_of_links_alone(links), {kernel_model<Ends>("ends")});
    const auto kernel = device->kernel("ends");
    const auto queue = device->queue();
    device->run({{"thread", [&] { queue->launch(kernel, {}, {}).wait(); }}});
    return device->last_run();
  };
  EXPECT_EQ(launched(3), launched(1));
}

TEST(Links, ThatTheBoardHasNotAreRefusedByName) {
  EXPECT_THAT([] { open_model(board_of_links(2), {}, {.channel = "vh2"}); },
              ThrowsMessage<Error>(HasSubstr("unknown channel 'vh2': expected vh0 or vh1")));
}

}  // namespace
}  // namespace isthmus::offload
