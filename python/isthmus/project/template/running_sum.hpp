#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <isthmus/stream.hpp>

/// The running sum of each message: number i of the output is the sum of numbers 0 .. i of the input, modulo 2^32.
/// A word of the link holds 16 numbers, so it takes one step, a clock cycle on a board, for 16 of them.
struct RunningSum {
  isthmus::In<isthmus::StreamWord> in{"in"};
  isthmus::Out<isthmus::StreamWord> out{"out"};
  std::uint32_t sum = 0;

  void step() {
    isthmus::StreamWord word;
    if (!in.pull(word)) return;
    word.data = add_up(word.data, sum);
    out.push(word);
    if (word.last) sum = 0;  // the next word begins another message
  }

  static isthmus::Word add_up(const isthmus::Word& word, std::uint32_t& sum) {
    auto numbers = std::bit_cast<std::array<std::uint32_t, 16>>(word);
    for (auto& number : numbers) number = sum += number;
    return std::bit_cast<isthmus::Word>(numbers);
  }
};
