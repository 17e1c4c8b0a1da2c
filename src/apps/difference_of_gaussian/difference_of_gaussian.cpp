// Photographs in grey through two Gaussian filters, and their difference (min2019 V.C).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/chip_run.hpp"
#include "apps/difference_of_gaussian/filters.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/apps/frames.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using soc::Cpu;

enum SharedBuffer : std::uint8_t { kGrey, kNarrowed, kWidened };
enum Own : std::uint8_t { kPhotographs, kDifference };

constexpr int kLeastSide = 8;
constexpr int kMostSide = 8192;
constexpr std::uint64_t kAtOnce = 64;   // pixels that the core takes in a turn of its loop
constexpr std::uint64_t kChunk = 4096;  // pixels of one filter before those of the other, on their way out

std::optional<int> side(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (value < kLeastSide || value > kMostSide) return {};
  return value;
}

ImageSize size_of(const std::string& text) {
  const std::size_t by = text.find('x');
  if (by != std::string::npos) {
    const auto width = side(std::string_view(text).substr(0, by));
    const auto height = side(std::string_view(text).substr(by + 1));
    if (width && height) return {.width = *width, .height = *height};
  }
  throw Error(
      fmt::format("--size: expected WIDTHxHEIGHT, of {} to {} pixels each, got '{}'", kLeastSide, kMostSide, text));
}

std::uint64_t pixels_of(ImageSize size) {
  return static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
}

/// The source of a byte that the filters write: they write chunks in turn.
struct Filtered {
  bool wide;
  std::uint64_t pixel;
};

Filtered place_of(std::uint64_t at, std::uint64_t bytes) {
  const std::uint64_t chunk = at / (2 * kChunk);
  const std::uint64_t length = std::min(kChunk, bytes - chunk * kChunk);
  const std::uint64_t within = at - 2 * chunk * kChunk;
  return {.wide = within >= length, .pixel = chunk * kChunk + within % length};
}

/// Both filters over a grey image that lies from `from` on.
soc::Pass filters(ImageSize size, std::uint64_t from, int pixels_a_cycle) {
  const std::uint64_t pixels = pixels_of(size);
  const std::uint64_t bytes = whole_lines(pixels);
  soc::Pass pass{.stage = "filters",
                 .reads = {{.buffer = kGrey, .offset = from, .bytes = bytes}},
                 .cycles = static_cast<double>(pixels) / pixels_a_cycle};
  for (std::uint64_t at = 0; at < bytes; at += kChunk)
    for (const std::size_t buffer : {kNarrowed, kWidened})
      pass.writes.push_back({.buffer = buffer, .offset = at, .bytes = std::min(kChunk, bytes - at)});
  const auto width = static_cast<std::uint64_t>(size.width);
  pass.needs = [bytes, width](std::uint64_t end) {
    return std::min(bytes, (place_of(end - 1, bytes).pixel / width + kReach + 1) * width);
  };
  pass.compute = [size, pixels, bytes](std::span<const std::byte> in, std::uint64_t at, std::span<std::byte> out) {
    const Filtered first = place_of(at, bytes);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] =
          first.pixel + i < pixels ? filtered(first.wide ? kWide : kNarrow, size, in, first.pixel + i) : std::byte{0};
  };
  return pass;
}

/// A run of frames.
class Frames {
 public:
  Frames(const platform::Description& board, ImageSize size, const program::TogetherJob& job)
      : board_(board), size_(size), pixels_(pixels_of(size)), job_(job) {}

  program::Together run(const std::vector<soc::Buffer>& buffers) {
    soc::Layout layout{.buffers = buffers,
                       .areas = {static_cast<std::uint64_t>(job_.count) * whole_pages(size_.bytes()), pixels_},
                       .stages = {"grey", "filters", "subtract", soc::kMaintenance}};
    layout.buffers[kGrey].bytes *= static_cast<std::uint64_t>(job_.choice.delay) + 1;
    return run_on_chip(board_, layout, job_, [this](Cpu& cpu, MessageTimes& times) { program(cpu, times); });
  }

 private:
  void program(Cpu& cpu, MessageTimes& times) {
    const int delay = job_.choice.delay;
    for (int frame = 0; frame < job_.count + delay; ++frame) {
      if (frame < job_.count) {
        times.begin(cpu);
        make_grey(cpu, frame);
      }
      if (frame < delay) continue;
      cpu.run(filters(size_, slot(frame - delay), soc::engines_of(board_).filter_pixels));
      subtract(cpu, frame - delay);
      times.end(cpu);
      job_.messages.finished(frame - delay);
    }
  }

  std::uint64_t slot(int frame) const {
    return static_cast<std::uint64_t>(frame % (job_.choice.delay + 1)) * whole_lines(pixels_);
  }

  void make_grey(Cpu& cpu, int frame) {
    cpu.stage("grey");
    const std::uint64_t first = static_cast<std::uint64_t>(frame) * whole_pages(size_.bytes());
    cpu.provide_area(kPhotographs, first, job_.messages.input(frame));
    std::array<std::byte, kAtOnce * kChannels> from{};
    std::array<std::byte, kAtOnce> to{};
    for (std::uint64_t at = 0; at < pixels_; at += kAtOnce) {
      const std::uint64_t count = std::min(kAtOnce, pixels_ - at);
      cpu.load_area(kPhotographs, first + at * kChannels, std::span(from).first(count * kChannels));
      cpu.work(count);
      for (std::uint64_t i = 0; i < count; ++i) to[i] = grey(&from[i * kChannels]);
      cpu.store(kGrey, slot(frame) + at, std::span(to).first(count));
    }
  }

  void subtract(Cpu& cpu, int frame) {
    cpu.stage("subtract");
    const std::span<std::byte> output = job_.messages.output(frame);
    std::array<std::byte, kAtOnce> narrow{};
    std::array<std::byte, kAtOnce> wide{};
    for (std::uint64_t at = 0; at < pixels_; at += kAtOnce) {
      const std::uint64_t count = std::min(kAtOnce, pixels_ - at);
      cpu.load(kNarrowed, at, std::span(narrow).first(count));
      cpu.load(kWidened, at, std::span(wide).first(count));
      cpu.work(count);
      const std::span<std::byte> to = output.subspan(at, count);
      for (std::uint64_t i = 0; i < count; ++i) to[i] = brighter(narrow[i], wide[i]);
      cpu.store_area(kDifference, at, to);
    }
  }

  const platform::Description& board_;
  ImageSize size_;
  std::uint64_t pixels_;
  const program::TogetherJob& job_;
};

std::vector<soc::Buffer> buffers_of(ImageSize size) {
  const std::uint64_t bytes = whole_lines(pixels_of(size));
  const auto filtered = [bytes](const char* name) {
    return soc::Buffer{.name = name, .bytes = bytes, .direction = soc::Direction::to_cpu, .mostly_written = false};
  };
  return {{.name = "grey", .bytes = bytes, .direction = soc::Direction::to_fpga}, filtered("narrow"), filtered("wide")};
}

program::ByteApplication of_values(const program::Values& values) {
  const ImageSize size = size_of(values.text("size"));
  std::optional<std::filesystem::path> folder;
  if (values.has("input")) folder = values.text("input");
  const auto frames = std::make_shared<std::optional<FrameSource>>();
  program::Extras extras{.counted = "frames", .facts = {{"width", size.width}, {"height", size.height}}, .count = 4};
  extras.open = [frames, folder, size](const program::Opening& opening) {
    frames->emplace(find_photographs(folder, size).files, size, opening.count, opening.seed);
  };
  extras.place = [size](std::size_t pixel) -> std::vector<program::Fact> {
    const auto at = static_cast<std::int64_t>(pixel);
    return {{"column", at % size.width}, {"row", at / size.width}};
  };
  extras.buffers = buffers_of(size);
  extras.delays = true;
  extras.together = [size](const platform::Description& board, const program::TogetherJob& job) {
    return Frames(board, size, job).run(buffers_of(size));
  };
  return {
      .name = "difference-of-gaussian",
      .summary = "photographs in grey through two Gaussian filters, and their difference (Min et al., FPL 2019, V.C)",
      .input = size.bytes(),
      .output = pixels_of(size),
      .fill = [frames](int frame, std::span<std::byte> pixels) { frames->value().fill(frame, pixels); },
      .reference = [size](std::span<const std::byte> in,
                          std::span<std::byte> out) { difference_reference(size, in, out); },
      .extras = std::move(extras)};
}

}  // namespace

program::Maker difference_of_gaussian() {
  using enum program::ParameterKind;
  return {.parameters = {{.name = "size",
                          .kind = text,
                          .help = "size of a frame, WIDTHxHEIGHT",
                          .unit = "pixels",
                          .preset = "640x480"},
                         {.name = "input",
                          .kind = folder,
                          .help = "a folder of photographs, JPEG or PNG, of at least that size; by default those of "
                                  "mate-backgrounds"}},
          .make = of_values};
}

}  // namespace isthmus::apps
