#include "isthmus/apps/frames.hpp"

#include <gmock/gmock.h>

#include <set>

#include "apps/image_files.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr ImageSize kFrame{.width = 32, .height = 20};

std::vector<std::byte> frame_of(const FrameSource& frames, int index) {
  std::vector<std::byte> frame(frames.size().bytes());
  frames.fill(index, frame);
  return frame;
}

/// How many of the frames 0, step, 2 step, ... below `end` differ.
std::size_t distinct(const FrameSource& frames, int end, int step) {
  std::set<std::string> seen;
  for (int i = 0; i < end; i += step) {
    const auto frame = frame_of(frames, i);
    seen.emplace(reinterpret_cast<const char*>(frame.data()), frame.size());
  }
  return seen.size();
}

/// Tells whether `frame` is a cut of `chart(size)`: found again by the place that its first pixel tells.
bool is_cut_of_chart(const std::vector<std::byte>& frame, ImageSize size) {
  const int x0 = std::to_integer<int>(frame[0]);
  const int y0 = std::to_integer<int>(frame[1]);
  if (x0 + kFrame.width > size.width || y0 + kFrame.height > size.height) return false;
  const Photograph whole = chart(size);
  for (int y = 0; y < kFrame.height; ++y)
    for (int x = 0; x < kFrame.width * kChannels; ++x)
      if (frame[static_cast<std::size_t>(y * kFrame.width * kChannels + x)] !=
          whole.pixels[static_cast<std::size_t>(((y0 + y) * size.width + x0) * kChannels + x)])
        return false;
  return true;
}

class Frames : public testing::Test {
 protected:
  FrameSource source(const std::vector<ImageSize>& sizes, int frames, std::uint64_t seed = 1) {
    std::vector<std::filesystem::path> files;
    for (const ImageSize size : sizes) {
      files.push_back(folder_ / (std::to_string(files.size()) + ".png"));
      write_png(files.back(), chart(size));
    }
    return {files, kFrame, frames, seed};
  }
  TemporaryFolder folder_;
};

TEST_F(Frames, EveryFrameIsACutOfAPhotographPixelForPixel) {
  const auto frames = source({{60, 50}, {100, 21}}, 30);
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(is_cut_of_chart(frame_of(frames, i), {60, 50})) << i;
  for (int i = 15; i < 30; ++i) EXPECT_TRUE(is_cut_of_chart(frame_of(frames, i), {100, 21})) << i;
}

TEST_F(Frames, NoTwoFramesOfAShotAreEqualAsLongAsThereIsRoom) {
  const ImageSize size{40, 25};  // 9 x 6 places
  const auto frames = source({size}, 54);
  EXPECT_EQ(distinct(frames, 54, 1), 54u);
}

TEST_F(Frames, APhotographOfExactlyTheFramesSizeIsUsedWhole) {
  const auto frames = source({kFrame}, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(frame_of(frames, i), chart(kFrame).pixels);
}

TEST_F(Frames, TheSameSeedGivesTheSameFramesInAnyOrder) {
  const auto first = source({{90, 70}, {80, 90}}, 10, 7);
  const auto second = source({{90, 70}, {80, 90}}, 10, 7);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(frame_of(first, 9 - i), frame_of(second, 9 - i));
}

TEST_F(Frames, AnotherSeedCutsElsewhere) {
  EXPECT_NE(frame_of(source({{200, 200}}, 1, 1), 0), frame_of(source({{200, 200}}, 1, 2), 0));
}

TEST_F(Frames, FewerFramesThanPhotographsTakeTheFirstOnes) {
  const auto frames = source({{40, 40}, {41, 40}, {42, 40}}, 2);
  EXPECT_EQ(frames.count(), 2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(is_cut_of_chart(frame_of(frames, i), {40 + i, 40}));
}

TEST_F(Frames, ASmallerPhotographIsRefusedAndNeverScaled) {
  EXPECT_THAT(
      [&] {
        source({{31, 100}}, 1);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("0.png: 31 x 100"), HasSubstr("at least 32 x 20"))));
}

TEST_F(Frames, AFolderGivesItsLargeEnoughPhotographsInTheOrderOfTheirNames) {
  write_png(folder_ / "b.PNG", chart({40, 40}));
  write_jpeg(folder_ / "a.jpeg", chart({32, 20}));
  write_png(folder_ / "c.png", chart({31, 40}));
  write_text(folder_ / "notes.txt", "no photograph");
  const auto choice = find_photographs(folder_.path(), kFrame);
  EXPECT_THAT(choice.files, ElementsAre(folder_ / "a.jpeg", folder_ / "b.PNG"));
  EXPECT_EQ(choice.too_small, 1);
}

TEST_F(Frames, AFolderThatIsMissingOrWithoutALargePhotographIsRefused) {
  EXPECT_THAT([&] { find_photographs(folder_ / "none", kFrame); },
              ThrowsMessage<Error>(AllOf(HasSubstr("none"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { find_photographs(folder_.path(), kFrame); }, ThrowsMessage<Error>(HasSubstr("no photograph")));
  write_png(folder_ / "small.png", chart({31, 40}));
  EXPECT_THAT([&] { find_photographs(folder_.path(), kFrame); },
              ThrowsMessage<Error>(AllOf(HasSubstr("small.png: 31 x 40"), HasSubstr("at least 32 x 20"))));
}

TEST_F(Frames, ABrokenPhotographInTheFolderIsRefusedWithItsName) {
  write_png(folder_ / "a.png", chart({40, 40}));
  write_text(folder_ / "b.jpg", "");
  EXPECT_THAT([&] { find_photographs(folder_.path(), kFrame); }, ThrowsMessage<Error>(HasSubstr("b.jpg")));
}

TEST(InstalledPhotographs, AreLargeEnoughForTheApplicationsFrames) {
  const ImageSize frame{.width = 1920, .height = 1080};
  const auto choice = find_photographs(std::nullopt, frame);
  EXPECT_GE(choice.files.size(), 6u);
  const FrameSource frames(choice.files, frame, 200, 1);
  EXPECT_EQ(distinct(frames, 200, 19), 11u);
}

}  // namespace
}  // namespace isthmus::apps
