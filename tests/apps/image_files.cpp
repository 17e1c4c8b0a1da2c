#include "apps/image_files.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

// jpeglib.h uses FILE without naming its header.
#include <jpeglib.h>
#include <png.h>

namespace isthmus::apps {

Photograph chart(ImageSize size) {
  Photograph photograph{.size = size, .pixels = {}};
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (const int value : {x, y, x / 256 + y / 256 * 16, 255})
        photograph.pixels.push_back(static_cast<std::byte>(value));
  return photograph;
}

void write_jpeg(const std::filesystem::path& file, const Photograph& photograph) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&jpeg, &data, &bytes);
  jpeg.image_width = static_cast<JDIMENSION>(photograph.size.width);
  jpeg.image_height = static_cast<JDIMENSION>(photograph.size.height);
  jpeg.input_components = kChannels;
  jpeg.in_color_space = JCS_EXT_RGBA;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t row_bytes = std::size_t{jpeg.image_width} * kChannels;
  while (jpeg.next_scanline < jpeg.image_height) {
    std::vector<JSAMPLE> row(row_bytes);
    for (std::size_t i = 0; i < row_bytes; ++i)
      row[i] = std::to_integer<JSAMPLE>(photograph.pixels[jpeg.next_scanline * row_bytes + i]);
    JSAMPLE* rows[]{row.data()};
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  write_text(file, std::string(data, data + bytes));
  jpeg_destroy_compress(&jpeg);
  std::free(data);
}

void write_png(const std::filesystem::path& file, const Photograph& photograph) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(photograph.size.width);
  png.height = static_cast<png_uint_32>(photograph.size.height);
  png.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&png, file.c_str(), 0, photograph.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(png.message);
}

void truncate_to(const std::filesystem::path& file, double part) {
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  std::filesystem::resize_file(file, static_cast<std::uintmax_t>(bytes * part));
}

}  // namespace isthmus::apps
