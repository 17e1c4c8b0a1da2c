// The first application of stacc (listing 1): the running sum of each message.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/word_kernel.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::apps {
namespace {

using Number = std::uint32_t;

/// The circuit of the suffix sum: what the streaming actor and the modelled OpenCL kernel both instantiate. The running
/// sum of the numbers of a word, 16 at a time, goes on in the next (stacc listing 1, which has one a word).
class Summer {
 public:
  void reset() { sum_ = 0; }
  Word take(const Word& word) {
    auto numbers = std::bit_cast<std::array<Number, kWordBytes / sizeof(Number)>>(word);
    for (Number& number : numbers) number = sum_ += number;
    return std::bit_cast<Word>(numbers);
  }

 private:
  Number sum_ = 0;
};

constexpr std::int64_t kNumbersAWord = kWordBytes / sizeof(Number);

/// Cycles from a word's entry to its sums': a tree of 16 adders in four levels, and one that adds what was before.
constexpr int kAdders = 5;

/// The sum as an actor of a stream, which begins anew with each message.
struct SuffixSum {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  Summer summer;

  void step() {
    const StreamWord word = in.read();
    out.push({.data = summer.take(word.data), .last = word.last});
    if (word.last) summer.reset();
  }
};

/// The twin of kernels/suffix_sum.cl on a modelled board.
class SuffixSumKernel : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  /// One message.
  void step() {
    const auto call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(offload::number_argument(call.arguments[2])) * sizeof(Number);
    summer_.reset();
    begin_writing(offload::address_argument(call.arguments[1]), bytes);
    read_words(offload::address_argument(call.arguments[0]), bytes,
               [this](const Word& word) { write(summer_.take(word)); });
    for (int i = 0; i < kAdders; ++i) cycle();
    work();
    finish();
  }

 private:
  Summer summer_;
};

void place(program::Kernel& kernel) {
  auto& sum = kernel.add<SuffixSum>("suffix sum");
  kernel.from_host(sum.in);
  kernel.to_host(sum.out, kAdders);
}

void fill(int message, std::span<Number> numbers) {
  // Knuth's multiplicative hash: no number is like its neighbours, and sums pass 2^32.
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (static_cast<Number>(message) * 40503U + static_cast<Number>(i) + 1) * 2654435761U;
}

program::ByteApplication of_values(const program::Values& values) {
  const std::int64_t count = values.integer("values");
  if (count % kNumbersAWord != 0)
    throw Error(
        fmt::format("values: expected a multiple of {}, which a word of 512 bit holds, got {}", kNumbersAWord, count));
  const auto numbers = static_cast<std::size_t>(count);
  return program::Application<Number, Number>{
      .name = "suffix-sum",
      .summary = "the running sum of each message (Ruan et al., ST-Accel, FCCM 2018, listing 1)",
      .input = numbers,
      .output = numbers,
      .kernel = place,
      .fill = fill,
      .reference = [](std::span<const Number> in,
                      std::span<Number> sums) { std::partial_sum(in.begin(), in.end(), sums.begin()); },
      .extras = {.device = program::DeviceKernel{.twin = offload::kernel_model<SuffixSumKernel>("suffix_sum"),
                                                 .arguments = {program::InputBuffer{}, program::OutputBuffer{},
                                                               static_cast<std::int32_t>(count)}},
                 .independent = true,
                 .steady = true}}
      .bytes();
}

}  // namespace

program::Maker suffix_sum() {
  return {.parameters = {{.name = "values",
                          .help = "32-bit numbers in a message, a multiple of 16",
                          .min = 16,
                          .max = 1 << 24,
                          .preset = "16384"}},
          .make = of_values};
}

}  // namespace isthmus::apps
