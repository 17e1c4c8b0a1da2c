#pragma once

#include <cstdint>
#include <optional>

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// The device's own probe of HPC Challenge's generator of random numbers: as every rank makes all of them, however few
/// fall on its own words, it is this that more ranks do not speed up.
class NumbersProbe {
 public:
  explicit NumbersProbe(Job& job);

  /// Numbers a second of which each is made and compared with the range of words that are this rank's: `size` from
  /// `first` on, of as many as `index_mask` and one. About `wanted` numbers are made, within the limits of timing.
  double rate(std::uint64_t wanted, std::uint64_t index_mask, std::uint64_t first, std::uint64_t size);

 private:
  Job& job_;
  std::uint64_t items_;
  std::uint64_t at_once_;  ///< numbers of a work-item
  offload::Buffer found_;
  std::optional<offload::Kernel> kernel_;  // none where nothing compiles online
};

}  // namespace isthmus::hpcc
