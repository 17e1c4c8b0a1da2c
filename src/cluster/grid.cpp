#include "isthmus/cluster/grid.hpp"

#include <fmt/format.h>

#include <charconv>

#include "isthmus/base/error.hpp"

namespace isthmus::cluster {

Grid nearest_grid(int ranks) {
  int rows = 1;
  for (int each = 1; each * each <= ranks; ++each)
    if (ranks % each == 0) rows = each;
  return {.rows = rows, .columns = ranks / rows};
}

Grid parse_grid(const std::string& text, int ranks) {
  Grid grid;
  const char* const end = text.data() + text.size();
  const auto [cross, first] = std::from_chars(text.data(), end, grid.rows);
  const bool crossed = first == std::errc() && cross != end && *cross == 'x';
  const auto [last, second] =
      crossed ? std::from_chars(cross + 1, end, grid.columns) : std::from_chars_result{end, first};
  if (!crossed || second != std::errc() || last != end || grid.rows < 1 || grid.columns < 1)
    throw Error(fmt::format("--grid: expected PxQ such as 2x3, got '{}'", text));
  if (static_cast<long>(grid.rows) * grid.columns != ranks)
    throw Error(fmt::format("--grid {}: expected P * Q = {}, the number of ranks", text, ranks));
  return grid;
}

}  // namespace isthmus::cluster
