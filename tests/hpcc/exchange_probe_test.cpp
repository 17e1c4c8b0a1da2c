#include "hpcc/exchange_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/single_rank.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kMebi = std::size_t{1} << 20;

/// One rank that keeps what it was asked to send and to receive.
class Listening final : public cluster::SingleRank {
 public:
  std::vector<std::pair<std::size_t, std::size_t>> asked;

  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override {
    EXPECT_EQ(to == cluster::kNobody, out.empty());
    EXPECT_EQ(from == cluster::kNobody, in.empty());
    asked.emplace_back(out.size(), in.size());
  }
};

class ExchangeProbes : public testing::Test {
 protected:
  /// The messages of a probe of `scheme` that sends 2.5 MiB and receives 1.
  std::vector<std::pair<std::size_t, std::size_t>> messages(const std::string& scheme) {
    ranks_->asked.clear();
    ExchangeProbe probe(job_, scheme, job_.device().buffer(3 * kMebi), job_.device().buffer(3 * kMebi), 3 * kMebi);
    EXPECT_GT(probe.seconds({.out_bytes = 5 * kMebi / 2, .to = 0, .in_bytes = kMebi, .from = 0}, 1), 0) << scheme;
    const std::array buffers{job_.device().buffer(kMebi), job_.device().buffer(kMebi)};
    EXPECT_EQ(probe.preparation(buffers) > 0, scheme == "mapped");
    return ranks_->asked;
  }

 private:
  std::shared_ptr<Listening> ranks_ = std::make_shared<Listening>();
  Job job_{"b_eff", {.device = offload::open_opencl("opencl:0"), .ranks = cluster::Ranks(ranks_)}};
};

TEST_F(ExchangeProbes, SendWhatTheSchemeSendsInItsPieces) {
  const std::pair whole{5 * kMebi / 2, kMebi};
  EXPECT_THAT(messages("staged"), ElementsAre(whole));
  EXPECT_THAT(messages("mapped"), ElementsAre(whole));
  EXPECT_THAT(messages("pipelined"), ElementsAre(std::pair(kMebi, kMebi), std::pair(kMebi, std::size_t{0}),
                                                 std::pair(kMebi / 2, std::size_t{0})));
  EXPECT_THAT(messages("shared"), IsEmpty());
}

}  // namespace
}  // namespace isthmus::hpcc
