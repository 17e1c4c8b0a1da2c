#include "isthmus/base/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace isthmus {
namespace {

/// Levenshtein's distance, one row of the table at a time.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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
