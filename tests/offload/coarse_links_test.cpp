// Coarse runs of boards with several links against fine ones: the same bytes, the same times within 1 %.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "offload/boards_of_links.hpp"

namespace isthmus::offload {
namespace {

using over_links::board_of_links;
using over_links::QueueOfTransfers;
using over_links::transfer;
using over_links::Transferred;

Transferred transferred(platform::Grain grain, const platform::Description& board,
                        const std::vector<QueueOfTransfers>& queues) {
  const auto device = open_model(board, {}, {.grain = grain});
  const Transferred done = transfer(*device, queues);
  EXPECT_EQ(device->grain(), grain);
  return done;
}

over_links::Overrides overrides_of_links(int links) {
  static const std::vector<std::vector<std::string>> kChoices = {
      {"link.vh0.lanes=4", "link.vh0.lanes=8"},
      {"link.vh0.round_trip=3us"},
      {"host.copy.rate=2GB/s", "host.copy.rate=20GB/s", "host.copy.enabled=false"},
      {"host.call.transfer=20us"},
      {"host.memory.channels=1"},
      {"dma.rate=4GB/s"},
      {"device.dram.kernel_channels=1"},
  };
  over_links::Overrides overrides{"host.call.enqueue=1us", "host.call.wake=1us"};
  for (const auto& choice : kChoices)
    if (*rc::gen::inRange(0, 3) == 0) overrides.push_back(*rc::gen::elementOf(choice));
  for (int link = 1; link < links; ++link)
    if (*rc::gen::arbitrary<bool>()) overrides.push_back(fmt::format("link.vh{}.lanes=8", link));
  return overrides;
}

QueueOfTransfers queue_of_transfers() {
  QueueOfTransfers queue{
      .thread = 0, .sizes = {}, .pinned = *rc::gen::arbitrary<bool>(), .back = *rc::gen::arbitrary<bool>()};
  for (int count = *rc::gen::inRange(1, 3); count > 0; --count)
    queue.sizes.push_back(*rc::gen::inRange<std::int64_t>(1, 5) * (std::int64_t{1} << *rc::gen::inRange(6, 19)));
  return queue;
}

/// Who sees the end of a queue a moment too early does not sleep.
constexpr Time kWakeUp = Time::us(1);

TEST(CoarseLinks, AgreeWithFineOnesWhateverTheBoardAndTheProgram) {
  EXPECT_TRUE(rc::check([&] {
    const int links = *rc::gen::inRange(2, 4);
    const platform::Description board = board_of_links(links, overrides_of_links(links));
    const std::vector<QueueOfTransfers> queues{queue_of_transfers()};
    const Transferred fine = transferred(platform::Grain::fine, board, queues);
    const Transferred coarse = transferred(platform::Grain::coarse, board, queues);
    RC_ASSERT(fine.right);
    RC_ASSERT(coarse.right);
    const double off = std::abs((coarse.elapsed - fine.elapsed).seconds()) - kWakeUp.seconds();
    RC_ASSERT(off < 0.01 * fine.elapsed.seconds());
  }));
}

}  // namespace
}  // namespace isthmus::offload
