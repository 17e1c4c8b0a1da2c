#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What any coherent memory does, whatever keeps it so: knows nothing of caches or messages of Isthmus.
namespace isthmus::coherence {

/// An access to a word: at some instant between its begin and its end, both included, the word had, or got, the value.
struct Operation {
  bool write;
  std::uint64_t word;
  std::uint64_t value;  ///< of a write, one that no other write to the word has; 0 is what every word begins with
  std::int64_t begin;
  std::int64_t end;
  bool operator==(const Operation&) const = default;
};

/// Why there is no order of all operations on each word in which every read gives what was written last; empty if
/// there is one. For unique values that can be told from intervals (Gibbons and Korach, "Testing shared memories",
/// SIAM J. Comput. 26(4), 1997): a value's operations take up what lies between the first end and the last begin of
/// them.
std::string disorder(const std::vector<Operation>& operations);

/// A line's state in a cache from an instant on: 'M', 'E', 'S', 'F' or 'I'; 'B' modified and on its way to memory,
/// 'b' no longer.
struct Change {
  std::int64_t at;
  std::size_t cache;
  std::uint64_t line;
  char state;
};

/// The first instant at which two caches have what they must not have together; empty if there is none.
std::string forbidden_pair(std::vector<Change> changes, bool forward);

}  // namespace isthmus::coherence
