#include "hpcc/transpose_layout.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace isthmus::hpcc {
namespace {

std::size_t local(std::int64_t block, int parts) {
  return static_cast<std::size_t>(block / parts);
}

/// The place of rows or columns of blocks that ascend evenly, in the matrix of a rank, which has each `parts`th.
Series series_of(const std::vector<std::int64_t>& blocks, int parts) {
  if (blocks.empty()) return {};
  const std::size_t first = local(blocks.front(), parts);
  return {.first = first, .step = blocks.size() > 1 ? local(blocks[1], parts) - first : 1, .count = blocks.size()};
}

}  // namespace

TransposeLayout::TransposeLayout(cluster::Grid grid, std::int64_t side, int rank, std::size_t block, std::size_t line,
                                 std::size_t strip)
    : grid_(grid),
      blocks_(grid, side),
      rank_(rank),
      block_(block),
      line_(line),
      places_(blocks_.blocks_of(rank)),
      width_(static_cast<std::size_t>(
          std::ranges::count_if(places_, [&](const Block& each) { return each.row == places_.front().row; }))) {
  for (int distance = 1; distance < grid.rows * grid.columns; ++distance) parcels_.push_back(next_parcel(distance));
  order(strip);
  find_sources();
}

void TransposeLayout::order(std::size_t strip) {
  std::ranges::stable_sort(places_, {}, [&](const Block& place) {
    return std::tuple(local(place.row, grid_.rows) / strip, place.column, place.row);
  });
}

std::size_t TransposeLayout::pitch(std::size_t width) const {
  const std::size_t values = width * block_;
  return line_ > 0 && values / line_ % 2 == 0 ? values + line_ : values;
}

Parcel TransposeLayout::next_parcel(int distance) {
  const int ranks = grid_.rows * grid_.columns;
  Parcel parcel{.to = (rank_ + distance) % ranks, .from = (rank_ + ranks - distance) % ranks};
  const BlockSet out = blocks_.sent(rank_, parcel.to);
  parcel.rows = series_of(out.rows, grid_.rows);
  parcel.columns = series_of(out.columns, grid_.columns);
  parcel.out_first = sent_;
  parcel.out_count = values_of(out);
  parcel.in_first = received_;
  parcel.in_count = values_of(blocks_.sent(parcel.from, rank_));
  sent_ += parcel.out_count;
  received_ += parcel.in_count;
  return parcel;
}

std::int32_t TransposeLayout::place_of(const Block& block) const {
  return static_cast<std::int32_t>(local(block.row, grid_.rows) * pitch() + local(block.column, grid_.columns));
}

std::size_t TransposeLayout::values_of(const BlockSet& set) const {
  return set.size() == 0 ? 0 : set.rows.size() * block_ * pitch(set.columns.size());
}

void TransposeLayout::find_sources() {
  std::map<std::pair<std::int64_t, std::int64_t>, Source> arrived;
  for (const Parcel& parcel : parcels_) {
    const BlockSet in = blocks_.sent(parcel.from, rank_);
    for (std::size_t row = 0; row < in.rows.size(); ++row)
      for (std::size_t column = 0; column < in.columns.size(); ++column)
        arrived[{in.rows[row], in.columns[column]}] = {
            .begin = static_cast<std::int32_t>(parcel.in_first / block_ + row * pitch(in.columns.size()) + column),
            .pitch = static_cast<std::int32_t>(pitch(in.columns.size()))};
  }
  for (const Block& place : places_) {
    const Block wanted{place.column, place.row};
    const bool own = blocks_.owner(wanted) == rank_;
    sources_.push_back(own ? Source{.begin = -1 - place_of(wanted), .pitch = static_cast<std::int32_t>(pitch())}
                           : arrived.at({wanted.row, wanted.column}));
    sources_.back().place = place_of(place);
  }
}

}  // namespace isthmus::hpcc
