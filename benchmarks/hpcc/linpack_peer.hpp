#pragma once

#include <string>

namespace isthmus::bench {

/// HPL as Debian's hpcc has it, one problem a run.
class LinpackPeer {
 public:
  /// The fastest of the ways to use this machine's cores: one process with threads or a process a core, and NB.
  static LinpackPeer fastest(int size);

  /// Floating-point operations a second of one run, as hpcc reports them. Throws Error if its own check fails.
  double flops() const;
  std::string description() const;

 private:
  LinpackPeer(int size, int block, int rows, int columns, int threads)
      : size_(size), block_(block), rows_(rows), columns_(columns), threads_(threads) {}

  int size_;
  int block_;
  int rows_;
  int columns_;
  int threads_;  // of OpenBLAS, in each process
};

}  // namespace isthmus::bench
