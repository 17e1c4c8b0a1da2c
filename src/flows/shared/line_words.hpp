#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/stream.hpp"

/// Bytes of memory that are accessed line by line and worked on word by word.
namespace isthmus::program {

/// Lines that a circuit has asked for and not handed on: more than the channels have under way.
inline constexpr std::uint64_t kLinesAsked = 512;

/// Results of lines that come in any order, as words in the order in which the lines were asked for.
class LineWords {
 public:
  LineWords() : come_(kLinesAsked) {}

  /// Tells whether another line may be asked for.
  bool room() const { return asked_ - handed_ < kLinesAsked; }
  /// Something that was asked for has not come yet.
  bool awaits() const { return asked_ > came_; }
  /// The tag of the line that is asked for now.
  std::uint16_t ask() { return static_cast<std::uint16_t>(asked_++ % kLinesAsked); }

  void take(const fabric::LineResult& result) {
    Come& come = come_[result.tag];
    come.bytes = result.bytes;
    std::memcpy(come.data.data(), result.data.data(), result.bytes);
    ++came_;
  }

  /// The next word, if it has come.
  bool give(Word& word) {
    Come& next = come_[handed_ % kLinesAsked];
    if (next.bytes == 0) return false;
    std::memcpy(word.bytes.data(), next.data.data() + given_, kWordBytes);
    given_ += kWordBytes;
    if (given_ == next.bytes) {
      given_ = next.bytes = 0;
      ++handed_;
    }
    return true;
  }

 private:
  struct Come {
    std::uint64_t bytes = 0;  ///< bytes that have come; 0: the line has not come
    fabric::LineBytes data{};
  };
  std::vector<Come> come_;  ///< lines that have come, by tag
  std::uint64_t asked_ = 0;
  std::uint64_t came_ = 0;
  std::uint64_t handed_ = 0;  ///< words that are handed on
  std::uint64_t given_ = 0;   ///< bytes of the next line that are handed on
};

/// Words as they come, gathered to what one access writes.
class GatheredWords {
 public:
  void add(const Word& word) {
    std::memcpy(data_.data() + bytes_, word.bytes.data(), kWordBytes);
    bytes_ += kWordBytes;
  }
  std::uint64_t bytes() const { return bytes_; }
  /// Moves them into an access.
  void put(fabric::LineAccess& access) {
    access.bytes = static_cast<std::uint8_t>(bytes_);
    std::memcpy(access.data.data(), data_.data(), bytes_);
    bytes_ = 0;
  }

 private:
  fabric::LineBytes data_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace isthmus::program
