#include "isthmus/apps/photograph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "apps/image_filter/decoder.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

constexpr std::array kJpegStart{std::byte{0xff}, std::byte{0xd8}, std::byte{0xff}};
constexpr std::array kPngStart{std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}};

/// Decoded, a photograph of this size takes 1 GiB; a file that claims more is no photograph.
constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  // A pipe would be waited for without end.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(fmt::format("{}: expected a JPEG or PNG file, got {}", file.string(),
                            std::filesystem::is_directory(status) ? "a folder" : "a pipe or a device"));
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) throw Error(fmt::format("{}: cannot read: {}", file.string(), std::strerror(errno)));
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0)));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) throw Error(fmt::format("{}: cannot read: {}", file.string(), std::strerror(errno)));
  if (bytes.empty()) throw Error(fmt::format("{}: expected a JPEG or PNG image, the file is empty", file.string()));
  return bytes;
}

std::unique_ptr<Decoder> open_decoder(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  const auto starts_with = [bytes](const auto& start) {
    return bytes.size() >= start.size() && std::ranges::equal(bytes.first(start.size()), start);
  };
  std::unique_ptr<Decoder> decoder;
  if (starts_with(kJpegStart)) decoder = jpeg_decoder(file.string(), bytes);
  if (starts_with(kPngStart)) decoder = png_decoder(file.string(), bytes);
  if (!decoder) throw Error(fmt::format("{}: neither a JPEG nor a PNG image", file.string()));
  const auto [width, height] = decoder->size();
  if (width <= 0 || height <= 0 || std::int64_t{width} * height > kMostPixels)
    throw Error(fmt::format("{}: {} x {} pixels, expected 1 to {}", file.string(), width, height, kMostPixels));
  return decoder;
}

}  // namespace

ImageSize photograph_size(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  return open_decoder(file, bytes)->size();
}

Photograph read_photograph(const std::filesystem::path& file) {
  const auto bytes = read_bytes(file);
  const auto decoder = open_decoder(file, bytes);
  Photograph photograph{.size = decoder->size(), .pixels = std::vector<std::byte>(decoder->size().bytes())};
  decoder->decode(photograph.pixels);
  return photograph;
}

}  // namespace isthmus::apps
