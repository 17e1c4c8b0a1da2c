#include <array>

#include "hpcc/benchmarks.hpp"

namespace isthmus::hpcc {

std::span<const Entry> all_benchmarks() {
  static constexpr std::array kAll{
      Entry{"stream", "memory bandwidth: Copy, Scale, Add, Triad, host to device and back", stream_parameters,
            stream_needs, make_stream},
      Entry{"fft", "batched 1D Fourier transforms, single precision", fft_parameters, fft_needs, make_fft},
      Entry{"gemm", "matrix multiplication: alpha A B + beta C", gemm_parameters, gemm_needs, make_gemm},
      Entry{"hpl", "LU decomposition without pivoting, solved over all ranks", hpl_parameters, hpl_needs, make_hpl},
      Entry{"random_access", "updates of words scattered over memory", random_access_parameters, random_access_needs,
            make_random_access},
      Entry{"ptrans", "matrix transposition over a grid of devices: C = B + A^T", ptrans_parameters, ptrans_needs,
            make_ptrans},
      Entry{"b_eff", "messages of 21 sizes around a ring of devices (equation 4.1)", b_eff_parameters, b_eff_needs,
            make_b_eff},
  };
  return kAll;
}

}  // namespace isthmus::hpcc
