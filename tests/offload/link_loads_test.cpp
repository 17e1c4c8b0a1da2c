// The link that a transfer takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "offload/model/workers.hpp"

namespace isthmus::offload::model {
namespace {

TEST(LinkLoads, ChooseTheLinkThatWouldHaveDoneWithATransferFirst) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Bandwidth> rates;
    for (int link = *rc::gen::inRange(1, 5); link > 0; --link) rates.push_back({*rc::gen::inRange(1, 5) * 1e9});
    LinkLoads loads(rates);
    std::vector<std::size_t> all(rates.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::uint64_t> under_way(rates.size());
    for (int i = *rc::gen::inRange(1, 10); i > 0; --i) {
      Command transfer;
      transfer.work = DeviceWork::to_device;
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
  LinkLoads loads({{1e9}, {1e9}, {1e9}});
  Command there;
  there.work = DeviceWork::to_device;
  there.bytes = 4096;
  Command back = there;
  back.work = DeviceWork::to_host;
  EXPECT_EQ(loads.best({0, 1, 2}, there), 0U);
  loads.begin(0, there);
  EXPECT_EQ(loads.best({0, 1, 2}, back), 1U);
  EXPECT_EQ(loads.best({0, 2}, there), 2U);
  loads.end(0, there);
  EXPECT_EQ(loads.best({0, 1, 2}, back), 0U);
}

}  // namespace
}  // namespace isthmus::offload::model
