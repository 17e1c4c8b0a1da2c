#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "isthmus/application/application.hpp"
#include "isthmus/offload/word_kernel.hpp"

/// An application with an OpenCL kernel of several buffers, and its twin.
namespace isthmus::program {

using Number = std::uint32_t;
using Numbers = std::vector<Number>;

inline constexpr std::size_t kFew = 16;
inline constexpr std::size_t kMany = 512;
inline constexpr Number kGain = 3;

inline Number constant(std::size_t i) {
  return static_cast<Number>(1000 + i * i);
}

/// The twin of two_buffers.cl in this folder.
class Mix : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;
  void step() {
    const auto call = fabric::read_call(start);
    const auto at = [&call](std::size_t argument) { return offload::address_argument(call.arguments[argument]); };
    Numbers a(kMany);
    Numbers b(kFew);
    Numbers c(kFew);
    load(at(0), std::as_writable_bytes(std::span(a)));
    load(at(1), std::as_writable_bytes(std::span(b)));
    load(at(2), std::as_writable_bytes(std::span(c)));
    const auto gain = static_cast<Number>(offload::number_argument(call.arguments[3]));
    for (std::size_t i = 0; i < kFew; ++i) b[i] += a[i];
    for (std::size_t i = 0; i < kMany; ++i) a[i] = a[i] * gain + c[i % kFew];
    give(at(4), b);
    give(at(5), a);
    finished.push({});
  }

 private:
  void give(fabric::DeviceAddress to, const Numbers& numbers) {
    begin_writing(to, numbers.size() * sizeof(Number));
    for (std::size_t i = 0; i < numbers.size(); i += kFew) {
      Word word;
      std::memcpy(word.bytes.data(), &numbers[i], sizeof(word));
      write(word);
      cycle();
    }
    work();
    written[0].read();
  }
};

inline std::vector<std::byte> constants() {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < kFew; ++i)
    for (const std::byte byte : std::bit_cast<std::array<std::byte, sizeof(Number)>>(constant(i)))
      bytes.push_back(byte);
  return bytes;
}

inline Application<Number, Number> mix() {
  return {.name = "mix",
          .summary = "two buffers in and out",
          .input = kMany + kFew,
          .output = kFew + kMany,
          .fill =
              [](int message, std::span<Number> numbers) {
                for (std::size_t i = 0; i < numbers.size(); ++i)
                  numbers[i] = static_cast<Number>(message) * 7919U + static_cast<Number>(i * i);
              },
          .reference =
              [](std::span<const Number> in, std::span<Number> out) {
                for (std::size_t i = 0; i < kFew; ++i) out[i] = in[kMany + i] + in[i];
                for (std::size_t i = 0; i < kMany; ++i) out[kFew + i] = in[i] * kGain + constant(i % kFew);
              },
          .extras = {.device =
                         DeviceKernel{.twin = offload::kernel_model<Mix>("two_buffers"),
                                      .arguments = {InputBuffer{0}, InputBuffer{1}, ConstantBuffer{0},
                                                    static_cast<std::int32_t>(kGain), OutputBuffer{0}, OutputBuffer{1}},
                                      .columns = kMany,
                                      .inputs = {kMany * sizeof(Number), kFew * sizeof(Number)},
                                      .outputs = {kFew * sizeof(Number), kMany * sizeof(Number)},
                                      .constants = {constants()}}}};
}

}  // namespace isthmus::program
