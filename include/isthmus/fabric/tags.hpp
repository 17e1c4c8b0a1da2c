#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isthmus::fabric {

/// The tags of a set-associative store, a cache or a TLB, without its contents. Lines are numbered; a line lies in set
/// number modulo sets, and makes way when it has been used least recently of those in its ways. `Note` is what is known
/// of a line.
template <class Note>
class Tags {
 public:
  Tags(std::int64_t sets, std::int64_t ways)
      : sets_(static_cast<std::uint64_t>(sets)), ways_(static_cast<std::size_t>(ways)), entries_(sets_ * ways_) {}

  /// The note of a line that is held, which counts as a use; null where it is not.
  Note* find(std::uint64_t line) {
    for (Entry& entry : set_of(line)) {
      if (entry.used == 0 || entry.line != line) continue;
      entry.used = ++uses_;
      return &entry.note;
    }
    return nullptr;
  }

  /// Puts a line that is not held into one of the first `ways` of its set and returns the note of what made way; a
  /// fresh one where there was room.
  Note put(std::uint64_t line, const Note& note, std::size_t ways) {
    Entry& oldest = *std::ranges::min_element(set_of(line).first(ways), {}, &Entry::used);
    const Note before = oldest.used == 0 ? Note{} : oldest.note;
    oldest = {.line = line, .used = ++uses_, .note = note};
    return before;
  }
  Note put(std::uint64_t line, const Note& note) { return put(line, note, ways_); }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint64_t used = 0;  ///< number of the last use, counted from 1; 0: never used
    Note note{};
  };
  std::span<Entry> set_of(std::uint64_t line) { return std::span(entries_).subspan(line % sets_ * ways_, ways_); }

  std::uint64_t sets_;
  std::size_t ways_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace isthmus::fabric
