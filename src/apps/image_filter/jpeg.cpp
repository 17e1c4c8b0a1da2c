#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdio>

// jpeglib.h uses FILE and size_t without naming their headers.
#include <jpeglib.h>
// jerror.h needs what jpeglib.h declares.
#include <jerror.h>

#include "apps/image_filter/decoder.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

struct OwnedJpeg : jpeg_decompress_struct {
  OwnedJpeg() : jpeg_decompress_struct{} {}
  ~OwnedJpeg() { jpeg_destroy_decompress(this); }
  OwnedJpeg(const OwnedJpeg&) = delete;
  OwnedJpeg& operator=(const OwnedJpeg&) = delete;
};

class JpegDecoder final : public Decoder {
 public:
  JpegDecoder(std::string name, std::span<const std::byte> data) : name_(std::move(name)) {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = give_up;
    errors_.base.emit_message = give_up_on_corruption;
    guarded([&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(data.data()), data.size());
      jpeg_read_header(&jpeg_, TRUE);
    });
  }
  ImageSize size() const override {
    return {.width = static_cast<int>(jpeg_.image_width), .height = static_cast<int>(jpeg_.image_height)};
  }

  void decode(std::span<std::byte> pixels) override {
    guarded([&] {
      jpeg_.out_color_space = JCS_EXT_RGBA;
      jpeg_start_decompress(&jpeg_);
      const std::size_t row_bytes = std::size_t{jpeg_.output_width} * kChannels;
      while (jpeg_.output_scanline < jpeg_.output_height) {
        auto* row = reinterpret_cast<JSAMPLE*>(pixels.data() + jpeg_.output_scanline * row_bytes);
        jpeg_read_scanlines(&jpeg_, &row, 1);
      }
      jpeg_finish_decompress(&jpeg_);
    });
  }

 private:
  struct Errors {
    jpeg_error_mgr base;
    std::jmp_buf jump;
  };

  [[noreturn]] static void give_up(j_common_ptr jpeg) {
    std::longjmp(reinterpret_cast<Errors*>(jpeg->err)->jump, 1);  // base is the first member
  }

  /// Negative levels are warnings: the library would go on with grey pixels where data are corrupt or missing.
  static void give_up_on_corruption(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) give_up(jpeg);
  }

  /// Runs calls of the library, which reports errors by a long jump: `calls` makes no object with a destructor.
  template <typename Calls>
  void guarded(Calls calls) {
    if (setjmp(errors_.jump) == 0) {
      calls();
      return;
    }
    std::array<char, JMSG_LENGTH_MAX> reason{};
    jpeg_.err->format_message(reinterpret_cast<j_common_ptr>(&jpeg_), reason.data());
    throw Error(fmt::format("{}: not a whole JPEG image: {}", name_, reason.data()));
  }

  std::string name_;
  Errors errors_{};
  OwnedJpeg jpeg_;
};

}  // namespace

std::unique_ptr<Decoder> jpeg_decoder(const std::string& name, std::span<const std::byte> data) {
  return std::make_unique<JpegDecoder>(name, data);
}

}  // namespace isthmus::apps
