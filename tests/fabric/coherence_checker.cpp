#include "fabric/coherence_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <set>

namespace isthmus::coherence {
namespace {

constexpr auto kBefore = std::numeric_limits<std::int64_t>::min();

/// The operations of a value: its write and the reads that gave it.
struct Cluster {
  bool written = false;
  std::int64_t write_begin = 0;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_begin = kBefore;

  void add(const Operation& operation) {
    first_end = std::min(first_end, operation.end);
    last_begin = std::max(last_begin, operation.begin);
  }
  /// The word certainly has the value from the one to the other.
  bool forward() const { return first_end < last_begin; }
};

using Clusters = std::map<std::uint64_t, Cluster>;

std::string unwritten(std::uint64_t word, const Clusters& clusters, const std::vector<Operation>& operations) {
  for (const Operation& one : operations) {
    if (one.write) continue;
    const Cluster& cluster = clusters.at(one.value);
    if (!cluster.written) return fmt::format("word {}: read {:#x}, which nobody wrote", word, one.value);
    if (one.end < cluster.write_begin) return fmt::format("word {}: read {:#x} before it was written", word, one.value);
  }
  return "";
}

std::string crossing(std::uint64_t word, const Clusters& clusters) {
  for (const auto& [value, zone] : clusters) {
    if (!zone.forward()) continue;
    for (const auto& [other_value, other] : clusters) {
      if (other_value == value) continue;
      const bool meet = other.forward() && zone.first_end < other.last_begin && other.first_end < zone.last_begin;
      const bool within = !other.forward() && other.last_begin > zone.first_end && other.first_end < zone.last_begin;
      if (meet || within)
        return fmt::format("word {}: {:#x} from {} to {} at least, and {:#x} meanwhile", word, value, zone.first_end,
                           zone.last_begin, other_value);
    }
  }
  return "";
}

std::string disorder_of(std::uint64_t word, const std::vector<Operation>& operations) {
  Clusters clusters;
  clusters[0] = {.written = true, .write_begin = kBefore, .first_end = kBefore};
  for (const Operation& one : operations) {
    Cluster& cluster = clusters[one.value];
    cluster.add(one);
    if (!one.write) continue;
    cluster.written = true;
    cluster.write_begin = one.begin;
  }
  std::string text = unwritten(word, clusters, operations);
  return text.empty() ? crossing(word, clusters) : text;
}

/// The copies of one line: what each cache has, and whose write-back buffer has it.
struct Copies {
  std::map<std::size_t, char> states;
  std::set<std::size_t> buffered;

  std::string wrong(bool forward) const {
    const auto having = [&](const char* any_of) {
      return std::ranges::count_if(states | std::views::values,
                                   [&](char state) { return std::string(any_of).find(state) != std::string::npos; });
    };
    const auto valid = having("MESF");
    if (having("ME") > 0 && valid > 1) return "M or E beside another copy";
    if (having("F") > (forward ? 1 : 0)) return "too many F";
    if (!buffered.empty() && (valid > 0 || buffered.size() > 1)) return "a copy beside one on its way to memory";
    return "";
  }
};

}  // namespace

std::string disorder(const std::vector<Operation>& operations) {
  std::map<std::uint64_t, std::vector<Operation>> words;
  for (const Operation& one : operations) words[one.word].push_back(one);
  for (const auto& [word, of_word] : words)
    if (std::string text = disorder_of(word, of_word); !text.empty()) return text;
  return "";
}

std::string forbidden_pair(std::vector<Change> changes, bool forward) {
  std::ranges::stable_sort(changes, {}, &Change::at);
  std::map<std::uint64_t, Copies> lines;
  std::set<std::uint64_t> touched;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    Copies& copies = lines[change.line];
    touched.insert(change.line);
    if (change.state == 'B')
      copies.buffered.insert(change.cache);
    else if (change.state == 'b')
      copies.buffered.erase(change.cache);
    else
      copies.states[change.cache] = change.state;
    if (i + 1 < changes.size() && changes[i + 1].at == change.at) continue;
    for (const std::uint64_t line : touched)
      if (const std::string text = lines[line].wrong(forward); !text.empty())
        return fmt::format("line {} at {}: {}", line, change.at, text);
    touched.clear();
  }
  return "";
}

}  // namespace isthmus::coherence
