// Boards of several links: transfers go over all of them at once, unless one is named.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/boards_of_links.hpp"
#include "offload/model/workers.hpp"

namespace isthmus::offload {
namespace {

using over_links::board_of_links;
using over_links::payload_rate;
using over_links::QueueOfTransfers;
using over_links::Settings;
using over_links::transfer;
using over_links::Transferred;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

/// Nothing but the links and the host's memory takes time worth telling.
const Settings kTransfersAlone = {"host.call.transfer=5us", "host.call.enqueue=1us", "host.call.wake=1us",
                                  "host.alloc.enabled=false", "device.dram.kernel_channels=4"};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::vector<QueueOfTransfers> queues_of_one_thread(std::size_t count, const std::vector<std::int64_t>& sizes) {
  return {count, {.thread = 0, .sizes = sizes, .pinned = true, .back = false}};
}

double seconds(const platform::Description& board, const std::vector<QueueOfTransfers>& queues,
               const std::string& channel = "") {
  const auto device = open_model(board, {}, {.channel = channel});
  const Transferred done = transfer(*device, queues);
  EXPECT_TRUE(done.right);
  return done.elapsed.seconds();
}

/// A random link, as settings of the `number`th.
Settings some_link(int number) {
  static const std::vector<std::vector<std::string>> kChoices = {
      {"lanes=2", "lanes=4", "lanes=8", "lanes=16"},
      {"generation=2", "generation=4"},
      {"max_payload=256"},
      {"tags=8", "tags=64"},
      {"round_trip=600ns", "round_trip=3us"},
      {"user_clock=200MHz", "user_clock=300MHz"},
  };
  Settings settings;
  for (const auto& choice : kChoices)
    if (*rc::gen::inRange(0, 2) == 0)
      settings.push_back(fmt::format("link.vh{}.{}", number, *rc::gen::elementOf(choice)));
  return settings;
}

platform::Description some_board() {
  const int links = *rc::gen::inRange(1, 4);
  Settings settings = kTransfersAlone;
  for (int link = 0; link < links; ++link) settings = with(std::move(settings), some_link(link));
  if (*rc::gen::inRange(0, 3) == 0) settings.emplace_back("host.memory.channels=1");
  if (*rc::gen::inRange(0, 3) == 0) settings.emplace_back("host.runtime.staging=chunked");
  if (*rc::gen::inRange(0, 4) == 0) settings.emplace_back("host.iommu.enabled=true");
  return board_of_links(links, settings);
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
  const double one = seconds(board_of_links(1, with(kTransfersAlone, {"dma.rate=32GB/s"})), queues);
  for (const int links : {2, 3}) {
    const platform::Description board = board_of_links(links, with(kTransfersAlone, {"dma.rate=32GB/s"}));
    EXPECT_NEAR(seconds(board, queues) * links / one, 1, 0.03) << links;
  }
}

TEST(Links, AreUsedByAThreadEachToo) {
  std::vector<QueueOfTransfers> queues;
  for (std::size_t thread = 0; thread < 2; ++thread)
    queues.push_back({.thread = thread, .sizes = {8 * kMebibyte}, .pinned = true, .back = false});
  EXPECT_NEAR(seconds(board_of_links(2, kTransfersAlone), queues) / seconds(board_of_links(1, kTransfersAlone), queues),
              0.5, 0.02);
}

TEST(Links, OfDifferentWidthsShareTheBytesByIt) {
  const Settings narrow = with(kTransfersAlone, {"link.vh1.lanes=8"});
  const auto queues = queues_of_one_thread(12, {2 * kMebibyte});
  const double both = seconds(board_of_links(2, narrow), queues);
  EXPECT_NEAR(both / seconds(board_of_links(1, kTransfersAlone), queues), 2.0 / 3, 0.03);
}

// Memory that moves 8 GB/s is slower than one link already.
TEST(Links, AreNoFasterThanTheHostsMemory) {
  const Settings scarce = with(kTransfersAlone, {"host.memory.transfer_rate=1000", "host.memory.channels=1"});
  const auto queues = queues_of_one_thread(4, {4 * kMebibyte});
  const double bound = 16.0 * kMebibyte / 8e9;
  for (const int links : {1, 2, 3}) {
    const double took = seconds(board_of_links(links, scarce), queues);
    EXPECT_GT(took, bound);
    EXPECT_LT(took, bound * 1.05) << links;
  }
}

TEST(Links, WithNothingElseUnderWayLeaveATransferToTheFastest) {
  const auto queues = queues_of_one_thread(1, {kMebibyte, kMebibyte, kMebibyte});
  const Settings narrow = with(kTransfersAlone, {"link.vh0.lanes=8"});
  const auto wide = [](int link) { return fmt::format("vh{}", link); };
  EXPECT_EQ(seconds(board_of_links(2, narrow), queues), seconds(board_of_links(2, narrow), queues, wide(1)));
  EXPECT_EQ(seconds(board_of_links(2, kTransfersAlone), queues),
            seconds(board_of_links(2, kTransfersAlone), queues, wide(0)));
}

/// Of the last run; 0 of a part that is not there.
double busy_share(const ModelDevice& device, const std::string& name) {
  const auto part = std::ranges::find(device.parts(), name, &platform::Part::name);
  return part == device.parts().end() ? 0 : part->busy.seconds() / part->lifetime.seconds();
}

TEST(Links, OfWhichOneIsNamedLeaveTransfersToIt) {
  const platform::Description board = board_of_links(3, kTransfersAlone);
  const auto queues = queues_of_one_thread(4, {kMebibyte});
  const platform::Description one = board_of_links(1, kTransfersAlone);
  for (const char* channel : {"vh0", "vh1", "vh2"}) EXPECT_EQ(seconds(board, queues, channel), seconds(one, queues));
}

TEST(Links, OfASeparateDirectionEachAreUsedWhereBothWaysAreUnderWay) {
  const auto device = open_model(board_of_links(2, kTransfersAlone), {});
  const auto queue = device->queue();
  const auto other = device->queue();
  const auto buffer = device->allocate({4 * kMebibyte});
  const auto second = device->allocate({4 * kMebibyte});
  const auto sent = device->pin({4 * kMebibyte});
  const auto back = device->pin({4 * kMebibyte});
  device->run({{"writer", [&](Host& host) { host.write(*queue, *buffer, sent->bytes(), Call::blocking); }},
               {"reader", [&](Host& host) { host.read(*other, *second, back->bytes(), Call::blocking); }}});
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

TEST(Links, HoldTheLimitOfWhatTheyMove) {
  const Settings narrow = with(kTransfersAlone, {"link.vh0.lanes=2", "link.vh1.lanes=2"});
  const auto device = open_model(board_of_links(2, narrow), {});
  const auto memory = device->pin({2 * kMebibyte});
  const std::array queues{device->queue(), device->queue()};
  const std::array buffers{device->allocate({2 * kMebibyte}), device->allocate({2 * kMebibyte})};
  device->run({{"thread", [&](Host& host) {
                  for (std::size_t i = 0; i < queues.size(); ++i)
                    host.write(*queues.at(i), *buffers.at(i), memory->bytes(), Call::nonblocking);
                  for (const auto& queue : queues) host.finish(*queue);
                }}});
  EXPECT_THAT(bottleneck(device->parts(), device->last_run(), device->path()).part,
              AnyOf("vh0/PCIe host to device", "vh1/PCIe host to device"));
}

TEST(LinkLoads, ChooseTheLinkThatWouldHaveDoneWithATransferFirst) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Bandwidth> rates;
    for (int link = *rc::gen::inRange(1, 5); link > 0; --link) rates.push_back({*rc::gen::inRange(1, 5) * 1e9});
    model::LinkLoads loads(rates);
    std::vector<std::size_t> all(rates.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::uint64_t> under_way(rates.size());
    for (int i = *rc::gen::inRange(1, 10); i > 0; --i) {
      model::Command transfer;
      transfer.work = model::Work::to_device;
      transfer.bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
      const std::size_t chosen = loads.best(all, transfer);
      const auto ends = [&](std::size_t link) {
        return static_cast<double>(under_way[link] + transfer.bytes) / rates[link].bytes_per_second;
      };
      for (const std::size_t link : all) RC_ASSERT(ends(chosen) <= ends(link) * (1 + 1e-9));
      loads.begin(chosen, transfer);
      under_way[chosen] += transfer.bytes;
    }
  }));
}

TEST(LinkLoads, ChooseAmongEqualLinksTheOneThatIsIdleTheOtherWayAndThenTheFirst) {
  model::LinkLoads loads({{1e9}, {1e9}, {1e9}});
  model::Command there;
  there.work = model::Work::to_device;
  there.bytes = 4096;
  model::Command back = there;
  back.work = model::Work::to_host;
  EXPECT_EQ(loads.best({0, 1, 2}, there), 0U);
  loads.begin(0, there);
  EXPECT_EQ(loads.best({0, 1, 2}, back), 1U);
  EXPECT_EQ(loads.best({0, 2}, there), 2U);
  loads.end(0, there);
  EXPECT_EQ(loads.best({0, 1, 2}, back), 0U);
}

TEST(Links, ThatTheBoardHasNotAreRefusedByName) {
  EXPECT_THAT([] { open_model(board_of_links(2), {}, {.channel = "vh2"}); },
              ThrowsMessage<Error>(HasSubstr("unknown channel 'vh2': expected vh0 or vh1")));
}

}  // namespace
}  // namespace isthmus::offload
