#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hpcc/block_grid.hpp"

namespace isthmus::hpcc {

/// Rows or columns of blocks of a rank's matrix, each as far behind the one before.
struct Series {
  std::size_t first = 0;
  std::size_t step = 1;
  std::size_t count = 0;
};

/// The blocks that a rank sends to another: its blocks of A of these rows and columns of blocks, which lie row by row
/// as a matrix of their own from value `out_first` on of all that it sends; and what it gets from one, likewise.
struct Parcel {
  int to = 0;
  Series rows{};
  Series columns{};
  std::size_t out_first = 0;
  std::size_t out_count = 0;  ///< values
  int from = 0;
  std::size_t in_first = 0;
  std::size_t in_count = 0;
};

/// The place of a block of A: `begin` times as many values behind as a block has in a row, in what came from others or,
/// as -1 - begin, in the rank's own A; in a matrix whose rows are `pitch` values apart. `place` is where the block of C
/// begins, likewise. Kernels are given it so.
struct Source {
  std::int32_t begin;
  std::int32_t pitch;
  std::int32_t place = 0;
};

/// The exchange of blocks for a transposition, of matrices whose blocks of one rank lie row by row as one matrix.
class TransposeLayout {
 public:
  /// The layout of `rank`, with blocks of `block` x `block` values, which are worked on column by column of strips that
  /// are `strip` blocks high: so A is read along its rows for a while, and the pages of B and C are few. Rows are an
  /// odd number of cache lines apart, of `line` values: an even number, such as a power of two, would put those of a
  /// column into few places of the caches. 0: no matter.
  TransposeLayout(cluster::Grid grid, std::int64_t side, int rank, std::size_t block, std::size_t line,
                  std::size_t strip = 1);

  /// This rank's blocks of each matrix, in the order in which they are worked on.
  const std::vector<Block>& places() const { return places_; }
  /// How many of them are side by side.
  std::size_t width() const { return width_; }
  /// Values from row to row of a matrix that is `width` blocks wide.
  std::size_t pitch(std::size_t width) const;
  std::size_t pitch() const { return pitch(width_); }
  /// Values of each matrix of this rank, with what lies between rows.
  std::size_t values() const { return places_.empty() ? 0 : places_.size() / width_ * block_ * pitch(); }
  /// For each of places(), as a block of C.
  const std::vector<Source>& sources() const { return sources_; }
  /// For each other rank, the next one first.
  const std::vector<Parcel>& parcels() const { return parcels_; }
  /// Values that go to others, and that come from others.
  std::size_t sent() const { return sent_; }
  std::size_t received() const { return received_; }
  /// Tells whether parts of A go to several ranks, so that each has to be put together first. On a square grid all that
  /// a rank sends goes to one other.
  bool packs() const { return grid_.rows != grid_.columns; }

 private:
  Parcel next_parcel(int distance);
  void order(std::size_t strip);
  void find_sources();
  std::int32_t place_of(const Block& block) const;
  std::size_t values_of(const BlockSet& set) const;

  cluster::Grid grid_;
  BlockGrid blocks_;
  int rank_;
  std::size_t block_;
  std::size_t line_;
  std::vector<Block> places_;
  std::size_t width_;
  std::vector<Source> sources_;
  std::vector<Parcel> parcels_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
};

}  // namespace isthmus::hpcc
