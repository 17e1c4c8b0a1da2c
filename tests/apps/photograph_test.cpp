#include "isthmus/apps/photograph.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>

#include "apps/image_files.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

auto refuses(const std::filesystem::path& file, const char* reason) {
  return ThrowsMessage<Error>(AllOf(HasSubstr(file.string() + ": "), HasSubstr(reason)));
}

TEST(Photograph, APngIsReadPixelForPixel) {
  const TemporaryFolder folder;
  const Photograph original = chart({300, 70});
  write_png(folder / "a.png", original);
  const Photograph read = read_photograph(folder / "a.png");
  EXPECT_EQ(read.size, original.size);
  EXPECT_EQ(read.pixels, original.pixels);
  EXPECT_EQ(photograph_size(folder / "a.png"), original.size);
}

TEST(Photograph, AJpegOfOneColourKeepsItAndIsOpaque) {
  const TemporaryFolder folder;
  Photograph original{.size = {64, 48}, .pixels = {}};
  for (int i = 0; i < 64 * 48; ++i)
    for (const int value : {200, 100, 50, 255}) original.pixels.push_back(static_cast<std::byte>(value));
  write_jpeg(folder / "a.jpg", original);
  const Photograph read = read_photograph(folder / "a.jpg");
  EXPECT_EQ(read.size, original.size);
  ASSERT_EQ(read.pixels.size(), original.pixels.size());
  for (std::size_t i = 0; i < read.pixels.size(); ++i)
    ASSERT_LE(std::abs(std::to_integer<int>(read.pixels[i]) - std::to_integer<int>(original.pixels[i])), 2);
}

TEST(Photograph, TheContentTellsTheFormatNotTheName) {
  const TemporaryFolder folder;
  write_png(folder / "a.jpg", chart({8, 8}));
  EXPECT_EQ(read_photograph(folder / "a.jpg").pixels, chart({8, 8}).pixels);
}

TEST(Photograph, AMissingFileIsRefusedWithItsName) {
  const TemporaryFolder folder;
  const auto file = folder / "none.jpg";
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "No such file"));
}

TEST(Photograph, AFolderIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { read_photograph(folder.path()); }, refuses(folder.path(), "got a folder"));
}

TEST(Photograph, APipeIsRefusedAndNotWaitedFor) {
  const TemporaryFolder folder;
  const auto file = folder / "a.jpg";
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "got a pipe or a device"));
}

TEST(Photograph, AFileThatEvenRootCannotReadIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder / "a.jpg";
  std::filesystem::create_symlink("/proc/self/mem", file);
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "cannot read: "));
}

TEST(Photograph, AnEmptyFileIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder / "empty.png";
  write_text(file, "");
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "the file is empty"));
}

TEST(Photograph, AFileOfAnotherKindIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder / "text.jpg";
  write_text(file, "not a photograph");
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "neither a JPEG nor a PNG"));
}

TEST(Photograph, AJpegThatEndsEarlyIsRefusedAndNotFilledWithGrey) {
  const TemporaryFolder folder;
  const auto file = folder / "a.jpg";
  for (const double part : {0.002, 0.01, 0.5, 0.99}) {
    write_jpeg(file, chart({320, 240}));
    truncate_to(file, part);
    EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "not a whole JPEG")) << part;
  }
}

TEST(Photograph, APngThatEndsEarlyIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder / "a.png";
  for (const double part : {0.01, 0.5, 0.95}) {
    write_png(file, chart({320, 240}));
    truncate_to(file, part);
    EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "not a whole PNG")) << part;
  }
}

TEST(Photograph, APngOfNoSizeIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder / "a.png";
  write_png(file, chart({4, 4}));
  std::string header("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x06\0\0\0", 29);
  write_text(file, header);
  EXPECT_THAT([&] { read_photograph(file); }, refuses(file, "not a whole PNG"));
}

}  // namespace
}  // namespace isthmus::apps
