#include "isthmus/apps/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>
#include <random>

#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPhotographs = 12;
constexpr auto kDefaultFolder = "/usr/share/backgrounds/mate/nature";

/// What is kept of a photograph: room enough to pan through a shot, without holding a whole camera image.
constexpr ImageSize kMargin{.width = 640, .height = 640};

bool looks_like_photograph(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

std::vector<fs::path> list_photographs(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (looks_like_photograph(entry->path())) files.push_back(entry->path());
  if (failure) throw Error(fmt::format("{}: cannot read the folder: {}", folder.string(), failure.message()));
  if (files.empty()) throw Error(fmt::format("{}: holds no photograph (*.jpg, *.jpeg, *.png)", folder.string()));
  std::ranges::sort(files);
  return files;
}

bool fits(ImageSize photograph, ImageSize frame) {
  return photograph.width >= frame.width && photograph.height >= frame.height;
}

void copy_rows(const Photograph& from, int x, int y, ImageSize size, std::span<std::byte> to) {
  const std::size_t row_bytes = static_cast<std::size_t>(size.width) * kChannels;
  for (int row = 0; row < size.height; ++row) {
    const auto pixel =
        static_cast<std::size_t>(y + row) * static_cast<std::size_t>(from.size.width) + static_cast<std::size_t>(x);
    std::memcpy(to.data() + static_cast<std::size_t>(row) * row_bytes, from.pixels.data() + pixel * kChannels,
                row_bytes);
  }
}

/// The middle of a photograph, no larger than a frame and the margin around it.
Photograph middle(const Photograph& whole, ImageSize frame) {
  const ImageSize size{.width = std::min(whole.size.width, frame.width + kMargin.width),
                       .height = std::min(whole.size.height, frame.height + kMargin.height)};
  Photograph part{.size = size, .pixels = std::vector<std::byte>(size.bytes())};
  copy_rows(whole, (whole.size.width - size.width) / 2, (whole.size.height - size.height) / 2, size, part.pixels);
  return part;
}

/// In how many places a frame can be cut from a photograph.
std::int64_t places(ImageSize photograph, ImageSize frame) {
  return std::int64_t{photograph.width - frame.width + 1} * (photograph.height - frame.height + 1);
}

}  // namespace

PhotographChoice find_photographs(const std::optional<fs::path>& folder, ImageSize frame) {
  if (std::error_code failure; !folder && !fs::is_directory(kDefaultFolder, failure))
    throw Error(fmt::format("{}: no such folder; install the Debian package mate-backgrounds or give --input DIR",
                            kDefaultFolder));
  const auto all = list_photographs(folder.value_or(kDefaultFolder));
  PhotographChoice choice;
  for (const auto& file : all) {
    if (choice.files.size() == kMostPhotographs) break;
    if (fits(photograph_size(file), frame))
      choice.files.push_back(file);
    else
      ++choice.too_small;
  }
  if (!choice.files.empty()) return choice;
  const auto [width, height] = photograph_size(all.front());
  throw Error(fmt::format("{}: {} x {} pixels, expected a photograph of at least {} x {}", all.front().string(), width,
                          height, frame.width, frame.height));
}

FrameSource::FrameSource(const std::vector<fs::path>& photographs, ImageSize frame, int frames, std::uint64_t seed)
    : size_(frame), count_(frames) {
  if (photographs.empty() || frames < 1) throw Error("frames need at least one photograph and one frame");
  std::mt19937_64 random(seed);
  for (const auto& file : photographs) {
    if (shots_.size() == static_cast<std::size_t>(frames)) break;
    const Photograph photograph = read_photograph(file);
    if (!fits(photograph.size, frame))
      throw Error(fmt::format("{}: {} x {} pixels, expected at least {} x {}", file.string(), photograph.size.width,
                              photograph.size.height, frame.width, frame.height));
    Photograph kept = middle(photograph, frame);
    const auto start = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(places(kept.size, frame)));
    shots_.push_back({.photograph = std::move(kept), .start = start});
  }
}

void FrameSource::fill(int index, std::span<std::byte> frame) const {
  const auto shots = static_cast<std::int64_t>(shots_.size());
  const std::int64_t number = index * shots / count_;
  const std::int64_t first = (number * count_ + shots - 1) / shots;
  const auto& [photograph, start] = shots_[static_cast<std::size_t>(number)];

  // One place aside and one down at a time; a step without a common factor visits every place before it repeats one.
  const std::int64_t all = places(photograph.size, size_);
  const std::int64_t columns = photograph.size.width - size_.width + 1;
  std::int64_t step = columns + 1;
  while (std::gcd(step, all) != 1) ++step;
  const std::int64_t place = (start + (index - first) % all * step) % all;
  copy_rows(photograph, static_cast<int>(place % columns), static_cast<int>(place / columns), size_, frame);
}

}  // namespace isthmus::apps
