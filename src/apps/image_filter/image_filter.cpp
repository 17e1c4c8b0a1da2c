#include "isthmus/apps/image_filter.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/image_filter/kernel.hpp"
#include "apps/image_filter/stencil_filter.hpp"
#include "isthmus/apps/frames.hpp"

namespace isthmus::apps {
namespace {

/// Cycles from a word's entry to its result's register: products, a tree of nine sums, shift, saturation. What on-chip
/// memory takes comes before.
constexpr int kArithmeticCycles = 7;

/// The work of one work item of kernels/image_filter.cl.
constexpr int kPixelsAnItem = 4;

constexpr ImageSize kFullHd{.width = 1920, .height = 1080};

void place(program::Kernel& kernel) {
  auto& stencil = kernel.add<StencilFilter>("stencil");
  kernel.from_host(stencil.in);
  kernel.to_host(stencil.out, kernel.onchip_latency() + kArithmeticCycles);
  kernel.control(stencil.control, stencil.status);
}

program::DeviceKernel device_kernel(const FilterSpec& spec, ImageSize size) {
  const auto table = by_tap(spec);
  const auto bytes = std::as_bytes(std::span(table));
  return {.twin = image_filter_kernel(),
          .arguments = {program::InputBuffer{}, program::OutputBuffer{}, program::ConstantBuffer{}, size.width,
                        size.height, spec.shift},
          .columns = static_cast<std::size_t>((size.width + kPixelsAnItem - 1) / kPixelsAnItem),
          .rows = static_cast<std::size_t>(size.height),
          .constants = {{bytes.begin(), bytes.end()}}};
}

program::Control control(const FilterSpec& spec, ImageSize size) {
  const StencilMessages messages = stencil_messages(spec, size);
  return {.messages = {messages.begin(), messages.end()}, .ready = kStencilReady};
}

std::vector<program::Fact> pixel(std::size_t byte, ImageSize size) {
  const auto at = static_cast<std::int64_t>(byte);
  return {{"column", at / kChannels % size.width}, {"row", at / kChannels / size.width}, {"channel", at % kChannels}};
}

std::string number(std::span<const std::byte> element) {
  return std::to_string(std::to_integer<int>(element.front()));
}

FrameSource open_frames(const std::optional<std::filesystem::path>& folder, const program::Opening& opening) {
  const auto choice = find_photographs(folder, kFullHd);
  if (folder && choice.too_small > 0)
    opening.note(fmt::format("{}: photographs left out because they are smaller than {} x {}: {}", folder->string(),
                             kFullHd.width, kFullHd.height, choice.too_small));
  return {choice.files, kFullHd, opening.count, opening.seed};
}

program::ByteApplication over_photographs(const program::Values& values) {
  std::optional<std::filesystem::path> folder;
  if (values.has("input")) folder = values.text("input");
  const auto frames = std::make_shared<std::optional<FrameSource>>();
  auto application = image_filter_of(default_filter(), kFullHd, [frames](int image, std::span<std::byte> pixels) {
    frames->value().fill(image, pixels);
  });
  application.extras.open = [frames, folder](const program::Opening& opening) {
    frames->emplace(open_frames(folder, opening));
  };
  return application;
}

}  // namespace

program::ByteApplication image_filter_of(const FilterSpec& spec, ImageSize size, ImageFill fill) {
  return {.name = "image-filter",
          .summary = fmt::format("3x3 stencil over {}x{} RGBA photographs (Ruan et al., ST-Accel, FCCM 2018, VI-B1)",
                                 size.width, size.height),
          .input = size.bytes(),
          .output = size.bytes(),
          .kernel = place,
          .fill = std::move(fill),
          .reference = [spec, size](std::span<const std::byte> in,
                                    std::span<std::byte> out) { filter_reference(spec, size, in, out); },
          .element = 1,
          .text = number,
          .extras = {.counted = "images",
                     .facts = {{"taps", kTaps}, {"width", size.width}, {"height", size.height}},
                     .control = control(spec, size),
                     .place = [size](std::size_t byte) { return pixel(byte, size); },
                     .device = device_kernel(spec, size),
                     .parts = {"onchip"},
                     .independent = true,
                     .steady = true}};
}

program::Maker image_filter() {
  return {.parameters = {{.name = "input",
                          .kind = program::ParameterKind::folder,
                          .help = "a folder of photographs, JPEG or PNG, of at least 1920 x 1080; by default those of "
                                  "mate-backgrounds"}},
          .make = over_photographs};
}

}  // namespace isthmus::apps
