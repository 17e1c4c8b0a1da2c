#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

/// What CUDA reaches on the first of its devices with the work of our benchmarks: plain kernels, and the vendor's
/// libraries. Each throws Error where CUDA refuses.
namespace isthmus::bench {

class CudaPeer {
 public:
  CudaPeer() = default;
  CudaPeer(const CudaPeer&) = delete;
  CudaPeer& operator=(const CudaPeer&) = delete;
  virtual ~CudaPeer() = default;

  /// The time of one repetition, from the first call to the device's end.
  virtual double seconds() = 0;
};

using Peer = std::unique_ptr<CudaPeer>;

/// The first device: its name, and the version of CUDA.
std::string cuda_device();

/// a = j c + b over `count` floats, a multiple of 2^14, four at a time, by the fastest of some ways.
Peer cuda_triad(std::size_t count);
/// RandomAccess on a table of 2^`log_words` words, 4 updates a word by atomic xor; a generator for each thread.
Peer cuda_updates(int log_words);
/// C = alpha A B + beta C, n x n.
Peer cublas_sgemm(int n);
Peer cublas_dgemm(int n);
/// As many complex transforms of 2^`log_size` values as `values` are.
Peer cufft_transforms(int log_size, std::size_t values);
/// getrf without pivots of an n x n matrix, restored before each repetition.
Peer cusolver_lu(int n);

}  // namespace isthmus::bench
