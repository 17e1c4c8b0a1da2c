#include "apps/image_filter/kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "isthmus/apps/stencil_core.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::apps {
namespace {

/// The arguments in the order of the kernel's signature.
struct Arguments {
  fabric::DeviceAddress in;
  fabric::DeviceAddress out;
  fabric::DeviceAddress coefficients;
  ImageSize size;
  std::int32_t shift;
};

Arguments arguments_of(const fabric::KernelCall& call) {
  return {.in = offload::address_argument(call.arguments[0]),
          .out = offload::address_argument(call.arguments[1]),
          .coefficients = offload::address_argument(call.arguments[2]),
          .size = {.width = offload::number_argument(call.arguments[3]),
                   .height = offload::number_argument(call.arguments[4])},
          .shift = offload::number_argument(call.arguments[5])};
}

class ImageFilterKernel : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  /// One image.
  void step() {
    const Arguments arguments = arguments_of(fabric::read_call(start));
    require_room(arguments.size);
    core_.configure(arguments.size, arguments.shift);
    load_coefficients(arguments.coefficients);
    filter(arguments);
    finish();
  }

 private:
  /// Two line buffers and the coefficients.
  void require_room(ImageSize size) const {
    const std::int64_t needed = 2LL * size.width * kChannels + kTaps * kChannels * 2;
    if (needed > spec().onchip_capacity.count)
      throw Error(fmt::format("rows of {} pixels: expected two of them to fit the on-chip memory of {} B", size.width,
                              spec().onchip_capacity.count));
  }

  void load_coefficients(fabric::DeviceAddress from) {
    std::array<std::int16_t, std::size_t{kTaps} * kChannels> table{};
    load(from, std::as_writable_bytes(std::span(table)));
    for (std::size_t i = 0; i < table.size(); ++i) core_.set_coefficient(static_cast<int>(i), table.at(i));
  }

  void filter(const Arguments& arguments) {
    begin_writing(arguments.out, arguments.size.bytes());
    read_words(arguments.in, arguments.size.bytes(), [this](const Word& word) {
      if (core_.take(word, result_)) write(result_);
    });
    for (int i = core_.words_behind(); i > 0; --i, cycle())
      if (core_.flush(result_)) write(result_);
    work();
  }

  StencilCore core_;
  Word result_{};
};

}  // namespace

offload::KernelModel image_filter_kernel() {
  return offload::kernel_model<ImageFilterKernel>("image_filter");
}

}  // namespace isthmus::apps
