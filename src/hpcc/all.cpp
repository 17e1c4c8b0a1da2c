#include <array>

#include "hpcc/benchmarks.hpp"

namespace isthmus::hpcc {

std::span<const Entry> all_benchmarks() {
  static constexpr std::array kAll{
      Entry{"stream", "memory bandwidth: Copy, Scale, Add, Triad, host to device and back", stream_parameters,
            make_stream},
      Entry{"fft", "batched 1D Fourier transforms, single precision", fft_parameters, make_fft},
      Entry{"gemm", "matrix multiplication: alpha A B + beta C", gemm_parameters, make_gemm},
      Entry{"hpl", "LU decomposition without pivoting, solved over all ranks", hpl_parameters, make_hpl},
      Entry{"random_access", "updates of words scattered over memory", random_access_parameters, make_random_access},
      Entry{"ptrans", "matrix transposition over a grid of devices: C = B + A^T", ptrans_parameters, make_ptrans},
      Entry{"b_eff", "messages of 21 sizes around a ring of devices (equation 4.1)", b_eff_parameters, make_b_eff},
  };
  return kAll;
}

}  // namespace isthmus::hpcc
