#pragma once

#include <cstddef>
#include <vector>

#include "isthmus/offload/datapath.hpp"

namespace isthmus::apps {

/// The most ports over which a matrix is spread.
inline constexpr std::size_t kMostPorts = 4;

/// The arguments of kernels/matrix_vector.cl; before them the parts of the matrix.
enum VectorArgument : std::size_t { kVector = kMostPorts, kResult };

/// Multiplies a square matrix with a vector: each port reads the vector, then its part of the rows, and has a row of 16
/// multipliers that take a word a cycle.
class VectorPath final : public offload::Datapath {
 public:
  VectorPath(std::size_t size, std::size_t ports);

  std::size_t ports() const override { return lanes_.size(); }
  std::uint64_t onchip_bytes() const override;
  std::uint64_t regions() const override;
  offload::Region region(std::size_t port, std::uint64_t number) const override;
  /// Some rows behind the vector.
  Rounds rounds() const override { return {.first = 1, .length = 1}; }
  offload::Region result() const override;

  void begin() override;
  int take(std::size_t port, const Word& word) override;
  bool give(Word& word) override;
  int finish() override;

 private:
  /// The state of a port.
  struct Lane {
    std::vector<float> vector;
    std::vector<float> sums{};  ///< sums of the rows that are complete
    Word running{};             ///< sums of the row that comes, one for each multiplier
    std::size_t word = 0;       ///< index of the next word in that row
    bool has_vector = false;
  };

  std::size_t rows_of_port() const { return size_ / lanes_.size(); }
  void multiply(Lane& lane, const Word& word) const;

  std::size_t size_;
  std::size_t words_;  ///< words of a row
  std::vector<Lane> lanes_;
  std::vector<float> result_;
  std::size_t given_ = 0;
};

}  // namespace isthmus::apps
