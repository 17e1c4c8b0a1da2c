#pragma once

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// The device's own probe of its memory, with a kernel that no parameter of a benchmark changes.
class MemoryProbe {
 public:
  explicit MemoryProbe(Job& job);

  /// Bytes a second, read and written together, of a pass over the first `bytes` of arrays: `inputs` (1 or 2) are read,
  /// `out` is written.
  double rate(const offload::ComputeBuffer& in1, const offload::ComputeBuffer& in2, const offload::ComputeBuffer& out,
              int inputs, std::size_t bytes);

 private:
  Job& job_;
  bool cpu_;
  std::optional<offload::ComputeKernel> kernel_;  // none where nothing compiles online
};

}  // namespace isthmus::hpcc
