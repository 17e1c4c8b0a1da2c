// Copies of any length over links of any payload.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"
#include "offload/copies.hpp"

namespace isthmus::offload {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<ModelDevice> open_board(const std::vector<std::string>& overrides) {
  return open_model(platform::load(platform::file_of("model:aws-f1"), overrides), {});
}

std::string bytes_of(const char* key, std::int64_t bytes) {
  return fmt::format("{}={}B", key, bytes);
}

std::int64_t power_of_two(int low, int high) {
  return std::int64_t{1} << *rc::gen::inRange(low, high + 1);
}

/// A link of any payload, and an engine that cuts what it moves anywhere.
std::vector<std::string> any_board() {
  const std::int64_t payload = power_of_two(7, 12);
  const auto credits = *rc::gen::inRange<std::int64_t>(payload / 16, 2048);
  return {bytes_of("link.pcie.max_payload", payload),
          bytes_of("link.pcie.max_read_request", power_of_two(7, 12)),
          bytes_of("link.pcie.read_completion_boundary", power_of_two(6, 7)),
          bytes_of("dma.descriptor_payload", 64 * *rc::gen::inRange(1, 400)),
          fmt::format("link.pcie.posted_data_credits={}", credits),
          fmt::format("link.pcie.tags={}", *rc::gen::inRange(1, 65)),
          fmt::format("host.llc.enabled={}", *rc::gen::arbitrary<bool>()),
          fmt::format("host.numa.enabled={}", *rc::gen::arbitrary<bool>()),
          fmt::format("host.iommu.enabled={}", *rc::gen::arbitrary<bool>())};
}

TEST(Payloads, OfAnySizeBringCopiesOfAnyLengthThereAndBack) {
  EXPECT_TRUE(rc::check([] {
    const auto device = open_board(any_board());
    const auto seed = *rc::gen::arbitrary<unsigned>();
    Copies copies(*device, *rc::gen::inRange<std::size_t>(1, 60'000), seed);
    device->run({{"host", [&] {
                    copies.write();
                    copies.read();
                  }}});
    RC_ASSERT(copies.back == copies.sent);
  }));
}

TEST(Descriptors, ThatAllTagsTogetherCannotFetchAreRefused) {
  const std::vector<std::string> overrides{"link.pcie.tags=1", "link.pcie.max_read_request=128B",
                                           "dma.descriptor_size=256B"};
  EXPECT_THAT([&] { open_board(overrides); },
              ThrowsMessage<Error>(HasSubstr("--set: key 'dma.descriptor_size': expected at most the 128 B that "
                                             "link.pcie.max_read_request and link.pcie.tags let the engine ask for, "
                                             "got 256 B")));
}

TEST(Payloads, ThatNoCreditsHoldAreRefusedByBothKeys) {
  const std::vector<std::string> overrides{"link.pcie.max_payload=4096B", "link.pcie.posted_data_credits=255"};
  EXPECT_THAT([&] { open_board(overrides); },
              ThrowsMessage<Error>(HasSubstr("--set: key 'link.pcie.max_payload': expected link.pcie.max_payload "
                                             "<= 16 x link.pcie.posted_data_credits, got 4096 B and 255")));
}

}  // namespace
}  // namespace isthmus::offload
