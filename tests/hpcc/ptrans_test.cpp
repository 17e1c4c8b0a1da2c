#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hpcc/block_cyclic.hpp"
#include "hpcc/small_runs.hpp"
#include "hpcc/transpose_layout.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const char* variant, const std::vector<std::string>& overrides = {}) {
  return Shape{variant}.request("ptrans", {"MATRIX_SIZE=192", "BLOCK_SIZE=64"}, overrides);
}

TEST(BlockGrid, EveryBlockHasOneOwnerAndIsSentOnceToWhereItsTransposedPlaceIs) {
  for (const cluster::Grid grid : {cluster::Grid{1, 1}, {1, 3}, {2, 2}, {2, 3}, {4, 1}, {3, 5}})
    for (const std::int64_t side : {1, 2, 5, 12}) {
      const BlockGrid layout(grid, side);
      const int ranks = grid.rows * grid.columns;
      std::set<std::pair<std::int64_t, std::int64_t>> sent;
      std::size_t held = 0;
      for (int from = 0; from < ranks; ++from) {
        held += layout.blocks_of(from).size();
        for (int to = 0; to < ranks; ++to)
          for (const std::int64_t row : layout.sent(from, to).rows)
            for (const std::int64_t column : layout.sent(from, to).columns) {
              EXPECT_EQ(layout.owner({row, column}), from);
              EXPECT_EQ(layout.owner({column, row}), to);
              EXPECT_TRUE(sent.emplace(row, column).second);
            }
      }
      EXPECT_EQ(held, static_cast<std::size_t>(side * side));
      EXPECT_EQ(sent.size(), held);
    }
}

/// The matrices of all ranks as numbers, value (i, j) of A being i * n + j.
class Ranks {
 public:
  Ranks(cluster::Grid grid, std::int64_t side, std::size_t block, std::size_t line)
      : grid_(grid), size_(static_cast<std::size_t>(side) * block), block_(block) {
    for (int rank = 0; rank < grid.rows * grid.columns; ++rank)
      layouts_.emplace_back(grid, side, rank, block, line, line + 1);
  }

  const TransposeLayout& layout(int rank) const { return layouts_[static_cast<std::size_t>(rank)]; }
  BlockCyclic rows(int rank) const { return {size_, block_, grid_.rows, grid_.row_of(rank)}; }
  BlockCyclic columns(int rank) const { return {size_, block_, grid_.columns, grid_.column_of(rank)}; }

  /// A rank's part, row by row.
  std::vector<std::size_t> part_of_a(int rank) const {
    std::vector<std::size_t> values(layout(rank).values());
    for (std::size_t row = 0; row < rows(rank).my_size(); ++row)
      for (std::size_t column = 0; column < columns(rank).my_size(); ++column)
        values[row * layout(rank).pitch() + column] = rows(rank).global(row) * size_ + columns(rank).global(column);
    return values;
  }

  /// What a rank sends, each parcel in its place.
  std::vector<std::size_t> sent(int rank) const {
    const auto a = part_of_a(rank);
    if (!layout(rank).packs()) return a;
    std::vector<std::size_t> values(layout(rank).sent());
    for (const Parcel& parcel : layout(rank).parcels())
      for (std::size_t row = 0; row < parcel.rows.count * block_; ++row)
        for (std::size_t column = 0; column < parcel.columns.count * block_; ++column)
          values[parcel.out_first + row * layout(rank).pitch(parcel.columns.count) + column] =
              a[local(parcel.rows, row) * layout(rank).pitch() + local(parcel.columns, column)];
    return values;
  }

  std::vector<std::size_t> received(int rank) const {
    std::vector<std::size_t> values(layout(rank).received());
    for (const Parcel& mine : layout(rank).parcels())
      for (const Parcel& theirs : layout(mine.from).parcels()) {
        if (theirs.to != rank || mine.in_count == 0) continue;
        EXPECT_EQ(theirs.out_count, mine.in_count);
        const auto all = sent(mine.from);
        const std::size_t first = layout(rank).packs() ? theirs.out_first : 0;
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first), mine.in_count,
                    values.begin() + static_cast<std::ptrdiff_t>(mine.in_first));
      }
    return values;
  }

 private:
  std::size_t local(const Series& blocks, std::size_t value) const {
    return (blocks.first + value / block_ * blocks.step) * block_ + value % block_;
  }

  cluster::Grid grid_;
  std::size_t size_;
  std::size_t block_;
  std::vector<TransposeLayout> layouts_;
};

TEST(TransposeLayout, EachRankFindsEveryBlockOfAInWhatItHasOrReceives) {
  constexpr std::size_t kBlock = 4;
  for (const cluster::Grid grid : {cluster::Grid{1, 1}, {1, 3}, {2, 2}, {2, 3}, {4, 1}, {4, 2}})
    for (const std::int64_t side : {1, 2, 5, 12})
      for (const std::size_t line : {0, 2}) {
        const Ranks ranks(grid, side, kBlock, line);
        const std::size_t size = static_cast<std::size_t>(side) * kBlock;
        for (int rank = 0; rank < grid.rows * grid.columns; ++rank) {
          const TransposeLayout& layout = ranks.layout(rank);
          EXPECT_TRUE(line == 0 || layout.pitch() / line % 2 == 1);
          const auto own = ranks.part_of_a(rank);
          const auto received = ranks.received(rank);
          for (std::size_t each = 0; each < layout.places().size(); ++each) {
            const Source source = layout.sources()[each];
            const auto& from = source.begin >= 0 ? received : own;
            const auto begin = static_cast<std::size_t>(source.begin >= 0 ? source.begin : -1 - source.begin) * kBlock;
            const auto row = static_cast<std::size_t>(layout.places()[each].row) * kBlock;
            const auto column = static_cast<std::size_t>(layout.places()[each].column) * kBlock;
            const auto place = static_cast<std::size_t>(source.place) * kBlock;
            EXPECT_EQ(own.at(place), row * size + column) << "of B and C as of A";
            for (std::size_t i = 0; i < kBlock; ++i)
              for (std::size_t j = 0; j < kBlock; ++j)
                ASSERT_EQ(from.at(begin + j * static_cast<std::size_t>(source.pitch) + i),
                          (column + j) * size + row + i);
          }
        }
      }
}

TEST(Ptrans, BothVariantsAreRightInEveryTypeBlockAndReplication) {
  for (const char* variant : {"single", "ndrange"})
    for (const char* type : {"DATA_TYPE=float", "DATA_TYPE=double"})
      for (const std::vector<std::string>& blocks : {std::vector<std::string>{"BLOCK_SIZE=64", "NUM_REPLICATIONS=4"},
                                                     std::vector<std::string>{"BLOCK_SIZE=96", "MATRIX_SIZE=96"}}) {
        const Outcome done = run(small(variant, {type, blocks.front(), blocks.back()}), cluster::alone());
        EXPECT_TRUE(done.validation.passed()) << variant << type << blocks.front() << done.validation.error;
      }
}

TEST(Ptrans, ReportsRateOperationsAndTrafficOfOneTime) {
  const Outcome done = run(small("ndrange", {"DATA_TYPE=double"}), cluster::alone());
  ASSERT_EQ(done.results.size(), 3U);
  EXPECT_DOUBLE_EQ(done.results[0].value, 8 * done.results[1].value);
  EXPECT_DOUBLE_EQ(done.results[2].value, 3 * done.results[0].value);
}

TEST(Ptrans, AnExponentBitOfOneElementIsCaught) {
  const KernelWithAFault kernel(kShapes[1].file("ptrans"), R"(
    if (each == 4) ((__global uint*)mine.c)[7] ^= 1u << 23;)");
  EXPECT_FALSE(validated_with(kernel, small("ndrange")));
}

TEST(Ptrans, WhatDoesNotFitIsRefused) {
  expect_refused(small("ndrange", {"MATRIX_SIZE=200"}), "MATRIX_SIZE=200: expected a multiple of BLOCK_SIZE=64");
  expect_refused(small("ndrange", {"BLOCK_SIZE=24", "MATRIX_SIZE=240"}), "BLOCK_SIZE=24: expected a multiple of 16");
  expect_refused(small("single", {"BLOCK_SIZE=8192", "MATRIX_SIZE=8192"}), "bytes of local memory");
  expect_refused(small("single", {"CHANNEL_WIDTH=7"}), "BLOCK_SIZE=64: expected a multiple of CHANNEL_WIDTH=7");
  expect_refused(small("ndrange", {"MATRIX_SIZE=6400000"}), "MATRIX_SIZE=6400000: needs");
  Request request = small("ndrange");
  request.scheme = "cpu";
  expect_refused(request, "--scheme cpu: no device takes part in it");
}

}  // namespace
}  // namespace isthmus::hpcc
