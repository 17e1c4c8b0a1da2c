#pragma once

#include <cstddef>
#include <vector>

namespace isthmus::hpcc {

/// A Fourier transform in double precision on the host, by another way than the device's kernels: radix 2, decimation
/// in time, in place.
class ReferenceFft {
 public:
  struct Complex {
    double re = 0;
    double im = 0;
  };

  explicit ReferenceFft(int log_size);

  /// x_t = 1/n sum_k X_k exp(2 pi i k t / n), for `values` of n = 2^log_size values.
  void inverse(std::vector<Complex>& values) const;

 private:
  std::size_t size_;
  std::vector<Complex> roots_;         // exp(2 pi i k / n)
  std::vector<std::size_t> reversed_;  // the bits of an index, in reverse order
};

}  // namespace isthmus::hpcc
