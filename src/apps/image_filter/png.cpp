#include <fmt/format.h>
#include <png.h>

#include "apps/image_filter/decoder.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

class PngDecoder final : public Decoder {
 public:
  PngDecoder(std::string name, std::span<const std::byte> data) : name_(std::move(name)) {
    png_.version = PNG_IMAGE_VERSION;
    require(png_image_begin_read_from_memory(&png_, data.data(), data.size()));
    png_.format = PNG_FORMAT_RGBA;
  }
  ~PngDecoder() override { png_image_free(&png_); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  ImageSize size() const override {
    return {.width = static_cast<int>(png_.width), .height = static_cast<int>(png_.height)};
  }

  void decode(std::span<std::byte> pixels) override {
    require(png_image_finish_read(&png_, nullptr, pixels.data(), 0, nullptr));
  }

 private:
  void require(int success) const {
    if (success == 0 || PNG_IMAGE_FAILED(png_))
      throw Error(fmt::format("{}: not a whole PNG image: {}", name_, png_.message));
  }

  std::string name_;
  png_image png_{};
};

}  // namespace

std::unique_ptr<Decoder> png_decoder(const std::string& name, std::span<const std::byte> data) {
  return std::make_unique<PngDecoder>(name, data);
}

}  // namespace isthmus::apps
