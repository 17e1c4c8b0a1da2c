#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"

/// What a unit of a described application is, in words of 512 bit, and what its launches do with them.
namespace isthmus::apps::traffic {

/// Words of a side of a message, of which each launch works on a part: the first on the first, and again from the
/// front where there are more launches than parts.
struct Side {
  std::uint64_t words = 0;  ///< words of the message
  std::uint64_t moves = 0;  ///< words that a launch reads or writes: its part from the front, again if it takes more
  std::uint64_t parts = 1;  ///< parts of the message, at most one a launch: as many as let a launch move all of one

  bool resident = false;  ///< whether the words stay in the device's memory, 0 at first, and belong to no message

  /// A message of `words` words, of which `launches` launches move `bytes` in all.
  static Side of(std::uint64_t words, std::uint64_t bytes, std::uint64_t launches);
  /// The same in parts of equal length.
  Side evenly() const;
  std::uint64_t begin(std::uint64_t launch) const { return words * (launch % parts) / parts; }
  std::uint64_t end(std::uint64_t launch) const { return words * (launch % parts + 1) / parts; }
};

/// Bursts of memory that pass a part of a given number of words; scattered ones come in a bad order for memory.
/// A remainder that fills no burst comes last.
class Bursts {
 public:
  /// `burst` 0: in order.
  Bursts(std::uint64_t part, std::uint64_t burst)
      : part_(part), burst_(burst == 0 ? kInOrder : burst), scattered_(burst != 0), whole_(part / burst_) {}

  /// The place in the part of the `index`th word that is moved.
  std::uint64_t place(std::uint64_t index) const;
  /// How many words lie in sequence from there on.
  std::uint64_t together(std::uint64_t index) const;
  /// Stretches of a pass over the part.
  std::uint64_t in_pass() const { return whole_ + (part_ % burst_ == 0 ? 0 : 1); }
  /// The first word of the `number`th stretch.
  std::uint64_t first(std::uint64_t number) const { return number / in_pass() * part_ + number % in_pass() * burst_; }

 private:
  static constexpr std::uint64_t kInOrder = 64;  ///< words of a page

  std::uint64_t part_;
  std::uint64_t burst_;
  bool scattered_;
  std::uint64_t whole_;
};

struct Work {
  Side in;
  Side out;
  std::uint64_t launches = 1;
  std::uint64_t read_burst = 0;   ///< words of one access; 0: in order
  std::uint64_t write_burst = 0;  ///< words of one access; 0: in order
  std::uint64_t cycles = 0;       ///< cycles that a launch computes, without its memory accesses

  Bursts reads(std::uint64_t launch) const { return {in.end(launch) - in.begin(launch), read_burst}; }
  Bursts writes(std::uint64_t launch) const { return {out.end(launch) - out.begin(launch), write_burst}; }
  /// The word, of those that a launch reads, out of which it makes the `index`th that it writes.
  std::uint64_t source(std::uint64_t index) const { return index * in.moves / out.moves; }
};

/// The word that a launch puts in the `place`th of its part; `from` is null where it reads nothing.
Word made(const Word* from, std::uint64_t place);

/// A message's output, computed word by word and not as it streams. Without words of a message `in` or `out` is empty.
void reference(const Work& work, std::span<const Word> in, std::span<Word> out);

/// The bytes of a message through its launches, out of all time; `in` and `out` as for the reference.
void pass(const Work& work, std::span<const Word> in, std::span<Word> out);

/// What goes through a launch: takes the words that it reads and gives those that it writes, as soon as it can.
class Passage {
 public:
  explicit Passage(const Work& work) : work_(&work) {}

  void begin(std::uint64_t launch);
  /// Returns the cycles for which it keeps the circuit busy.
  int take(const Word& word);
  /// Gives the next word, if it is there; the last one after `finish`.
  bool give(Word& word);
  /// Returns the cycles of a launch that reads nothing.
  int finish();
  /// The place in the part, of the word that was given last.
  std::uint64_t place() const { return place_; }

 private:
  const Work* work_;
  std::uint64_t taken_ = 0;
  std::uint64_t given_ = 0;
  std::uint64_t part_ = 0;  ///< words of the part that are read
  std::uint64_t place_ = 0;
  Bursts writes_{0, 0};
  bool over_ = false;
  std::vector<Word> seen_;
};

}  // namespace isthmus::apps::traffic
