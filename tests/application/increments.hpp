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

/// A word whose numbers are each so much more.
inline Word plus(const Word& word, Number more) {
  auto numbers = std::bit_cast<Numbers>(word);
  for (Number& number : numbers) number += more;
  return std::bit_cast<Word>(numbers);
}

struct Increment {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() {
    const StreamWord word = in.read();
    out.push({.data = plus(word.data, 1), .last = word.last});
  }
};

/// Gives nothing back.
struct Silent {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() { in.read(); }
};

/// Each number and what the host has said, in so many control messages, before the first.
struct Told {
  static constexpr std::uint32_t kReady = 9;
  In<StreamWord> in{"in"};
  In<std::uint32_t> control{"control"};
  Out<StreamWord> out{"out"};
  Out<ControlMessage> status{"status"};
  int awaited;
  Number more = 0;

  explicit Told(int messages = 1) : awaited(messages) {}
  void step() {
    if (awaited > 0) hear();
    const StreamWord word = in.read();
    out.push({.data = plus(word.data, more), .last = word.last});
  }

 private:
  void hear() {
    for (; awaited > 0; --awaited) more += control.read();
    status.push({.tag = kReady, .message = 0});
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
