#include "isthmus/apps/stencil_core.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "apps/random_filter.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<StencilCore> configured(const FilterSpec& spec, ImageSize size) {
  auto core = std::make_unique<StencilCore>();
  core->configure(size, spec.shift);
  const auto table = by_tap(spec);
  for (std::size_t i = 0; i < table.size(); ++i) core->set_coefficient(static_cast<int>(i), table[i]);
  return core;
}

/// Sends an image through `core` word by word.
std::vector<std::byte> through(StencilCore& core, std::span<const std::byte> image) {
  std::vector<std::byte> results;
  Word in;
  Word out;
  const auto keep = [&](bool there) {
    if (there) results.insert(results.end(), out.bytes.begin(), out.bytes.end());
  };
  for (std::size_t at = 0; at < image.size(); at += kWordBytes) {
    std::memcpy(in.bytes.data(), image.data() + at, kWordBytes);
    keep(core.take(in, out));
  }
  for (int i = 0; i < core.words_behind(); ++i) keep(core.flush(out));
  return results;
}

RC_GTEST_PROP(StencilCore, AgreesWithTheReferenceImageAfterImage, ()) {
  const ImageSize size{.width = kWordPixels * *rc::gen::inRange(1, 5), .height = *rc::gen::inRange(1, 7)};
  const auto spec = *random_filter();
  const auto core = configured(spec, size);
  for (int image = 0; image < 2; ++image) {
    const auto pixels = *random_pixels(size);
    std::vector<std::byte> expected(size.bytes());
    filter_reference(spec, size, pixels, expected);
    RC_ASSERT(through(*core, pixels) == expected);
  }
}

TEST(StencilCore, RefusesRowsThatItsLineBuffersCannotHold) {
  StencilCore core;
  for (const int width : {0, 15, 24, kMaxRowWords * kWordPixels + kWordPixels})
    EXPECT_THAT([&] { core.configure({.width = width, .height = 4}, 0); },
                ThrowsMessage<Error>(HasSubstr("multiple of 16 up to 4096")));
}

}  // namespace
}  // namespace isthmus::apps
