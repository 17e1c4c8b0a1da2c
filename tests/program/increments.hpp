#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "isthmus/program.hpp"

/// An application whose outputs one knows at a glance.
namespace isthmus::program {

using Number = std::uint32_t;
using Numbers = std::array<Number, 16>;

struct Increment {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() {
    StreamWord word = in.read();
    auto numbers = std::bit_cast<Numbers>(word.data);
    for (Number& number : numbers) ++number;
    word.data = std::bit_cast<Word>(numbers);
    out.push(word);
  }
};

inline void fill(int message, std::span<Number> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<Number>(message) * 1000003U + static_cast<Number>(i);
}

/// Two actors in a row: each number and 2.
inline Application<Number, Number> increments(std::size_t numbers) {
  return {.name = "increments",
          .summary = "each number and 2",
          .input = numbers,
          .output = numbers,
          .kernel =
              [](Kernel& kernel) {
                auto& first = kernel.add<Increment>("first");
                auto& second = kernel.add<Increment>("second");
                kernel.from_host(first.in);
                kernel.connect(first.out, second.in);
                kernel.to_host(second.out);
              },
          .fill = fill,
          .reference =
              [](std::span<const Number> in, std::span<Number> out) {
                for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 2;
              }};
}

}  // namespace isthmus::program
