#pragma once

#include <string>

namespace isthmus::cluster {

/// P rows and Q columns of ranks, row by row: rank = row * columns + column.
struct Grid {
  int rows = 1;
  int columns = 1;

  int row_of(int rank) const { return rank / columns; }
  int column_of(int rank) const { return rank % columns; }
  int rank_at(int row, int column) const { return row * columns + column; }
  bool operator==(const Grid&) const = default;
};

/// The grid of `ranks` ranks that is nearest to a square, with no more rows than columns.
Grid nearest_grid(int ranks);

/// "2x3": throws Error unless rows times columns are the ranks.
Grid parse_grid(const std::string& text, int ranks);

}  // namespace isthmus::cluster
