#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "isthmus/stream.hpp"

namespace isthmus::apps {

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

}  // namespace isthmus::apps
