#include "apps/image_filter_kernel.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "isthmus/apps/stencil_core.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using offload::KernelSpec;

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
          .size = {.width = offload::integer_argument(call.arguments[3]),
                   .height = offload::integer_argument(call.arguments[4])},
          .shift = offload::integer_argument(call.arguments[5])};
}

class ImageFilterKernel : public offload::KernelPorts {
 public:
  explicit ImageFilterKernel(const KernelSpec& spec) : spec_(spec), clock_(spec.clock) {}

  /// One image.
  void step() {
    const Arguments arguments = arguments_of(fabric::read_call(start));
    require_room(arguments.size);
    core_.configure(arguments.size, arguments.shift);
    load_coefficients(arguments.coefficients);
    filter(arguments);
    written[0].read();
    finished.push({});
  }
  /// It ends with the registers that start it.
  bool done() const { return false; }

 private:
  /// Two line buffers and the coefficients.
  void require_room(ImageSize size) const {
    const std::int64_t needed = 2LL * size.width * kChannels + kTaps * kChannels * 2;
    if (needed > spec_.onchip_capacity.count)
      throw Error(fmt::format("rows of {} pixels: expected two of them to fit the on-chip memory of {} B", size.width,
                              spec_.onchip_capacity.count));
  }

  void load_coefficients(fabric::DeviceAddress from) {
    std::array<std::int16_t, std::size_t{kTaps} * kChannels> table{};
    regions[0].push({.at = from, .bytes = sizeof table});
    auto* to = reinterpret_cast<std::byte*>(table.data());
    for (std::size_t loaded = 0; loaded < sizeof table;) {
      const fabric::AxiBurst& burst = data[0].read_in_place();
      std::memcpy(to + loaded, burst.data.data(), burst.bytes);
      loaded += burst.bytes;
    }
    for (std::size_t i = 0; i < table.size(); ++i) core_.set_coefficient(static_cast<int>(i), table.at(i));
  }

  void filter(const Arguments& arguments) {
    to_ = arguments.out;
    left_ = arguments.size.bytes();
    regions[0].push({.at = arguments.in, .bytes = left_});
    for (std::size_t words = left_ / sizeof(Word); words > 0;) {
      const fabric::AxiBurst& burst = data[0].read_in_place();
      const std::size_t count = burst.bytes / sizeof(Word);
      for (std::size_t i = 0; i < count; ++i) {
        Word word;
        std::memcpy(word.bytes.data(), burst.data.data() + i * sizeof(Word), sizeof(Word));
        if (core_.take(word, result_)) keep_result();
        ++cycles_;
      }
      work();
      words -= count;
    }
    for (int i = core_.words_behind(); i > 0; --i, ++cycles_)
      if (core_.flush(result_)) keep_result();
    work();
  }

  void keep_result() {
    std::memcpy(results_.data.data() + results_.bytes, result_.bytes.data(), sizeof(Word));
    results_.bytes += static_cast<std::uint32_t>(sizeof(Word));
    if (results_.bytes == spec_.axi.first_burst(to_.byte, left_)) store_results();
  }

  void store_results() {
    work();
    left_ -= results_.bytes;
    fabric::AxiStore& store = stores[0].slot();
    store.channel = to_.channel;
    store.last = left_ == 0;
    store.write.address = to_.byte;
    copy(results_, store.write.burst);
    to_.byte += results_.bytes;
    results_.bytes = 0;
  }

  /// Lets the cycles pass that the words since the last time took.
  void work() {
    const Tick now = clock_.first_at_or_after(timer_.now().femtoseconds());
    timer_.wait_until(Time::fs(clock_.edge(now + std::exchange(cycles_, 0))));
  }

  Timer timer_;
  KernelSpec spec_;
  Grid clock_;
  StencilCore core_;
  fabric::AxiBurst results_{};
  Word result_{};
  fabric::DeviceAddress to_{};
  std::uint64_t left_ = 0;  ///< bytes of the image not yet stored
  Tick cycles_ = 0;
};

}  // namespace

offload::KernelModel image_filter_kernel() {
  return offload::kernel_model<ImageFilterKernel>("image_filter");
}

}  // namespace isthmus::apps
