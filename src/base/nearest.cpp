#include "isthmus/base/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace isthmus {
namespace {

/// Levenshtein's distance in which two neighbours that are swapped are one edit (optimal string alignment), with the
/// last two rows of the table.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> above(to.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1, i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      row[j + 1] = std::min({above[j] + (from[i] == to[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(above, std::move(row));
  }
  return above.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto distance = [word](const std::string& candidate) { return edits(word, candidate); };
  const auto best = std::ranges::min_element(candidates, {}, distance);
  if (best == candidates.end() || distance(*best) * 3 > std::max(word.size(), best->size())) return {};
  return *best;
}

std::string unknown_name(std::string_view what, std::string_view word, std::span<const std::string> candidates) {
  std::string text = fmt::format("unknown {} '{}'", what, word);
  if (candidates.empty()) return text + ": there is none to choose from";
  const auto all_but_last = candidates.first(candidates.size() - 1);
  text += fmt::format(": expected {}{}{}", fmt::join(all_but_last, ", "), all_but_last.empty() ? "" : " or ",
                      candidates.back());
  const std::string near = nearest(word, candidates);
  return near.empty() ? text : text + fmt::format("; did you mean '{}'?", near);
}

}  // namespace isthmus
