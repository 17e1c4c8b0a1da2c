#pragma once

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// The device's own probe of its memory, with kernels that no parameter of a benchmark changes.
class MemoryProbe {
 public:
  explicit MemoryProbe(Job& job);

  /// Bytes a second, read and written together, of the quickest kernel's pass over the first `bytes` of arrays:
  /// `inputs` (1 or 2) are read, `out` is written.
  double rate(const offload::Buffer& in1, const offload::Buffer& in2, const offload::Buffer& out, int inputs,
              std::size_t bytes);

 private:
  Job& job_;
  bool cpu_;
  struct Way {
    offload::Kernel kernel;
    std::size_t piece;  ///< bytes that it moves at once
  };
  std::vector<Way> ways_;  ///< none where nothing compiles online
};

}  // namespace isthmus::hpcc
