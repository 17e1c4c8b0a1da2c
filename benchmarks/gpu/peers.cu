#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "hpcc/random_numbers.hpp"
#include "isthmus/base/error.hpp"
#include "peers.hpp"

namespace isthmus::bench {
namespace {

constexpr int kThreads = 256;

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw Error(std::string(call) + ": " + cudaGetErrorString(code));
}

template <class Status>
void check_library(Status status, const char* call) {
  if (static_cast<int>(status) != 0) throw Error(std::string(call) + ": status " + std::to_string(status));
}

/// Memory of the device.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) { check(cudaMalloc(&memory_, bytes()), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(memory_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return static_cast<T*>(memory_); }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::size_t size() const { return count_; }

 private:
  void* memory_ = nullptr;
  std::size_t count_;
};

unsigned blocks_of(std::size_t items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

template <class Body>
double timed(const Body& body) {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const auto start = std::chrono::steady_clock::now();
  body();
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Values from -1 to 1: zeros let a device draw less power and run faster than real data do. With `diagonal` > 0 the
/// diagonal of an n x n matrix is that.
template <typename T>
__global__ void fill_randomly(T* values, std::size_t count, std::size_t n, T diagonal) {
  const std::size_t at = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (at >= count) return;
  std::uint64_t mixed = (at + 1) * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9ULL;
  const bool on_diagonal = diagonal > T(0) && at / n == at % n;
  values[at] = on_diagonal ? diagonal : static_cast<T>(static_cast<double>(mixed >> 11) * 0x1p-52 - 1);
}

template <typename T>
void fill(const DeviceArray<T>& array, std::size_t n = 1, T diagonal = 0) {
  fill_randomly<T><<<blocks_of(array.size()), kThreads>>>(array.get(), array.size(), n, diagonal);
  check(cudaGetLastError(), "launch");
}

/// kVectors float4 for each thread, a block's width apart.
template <int kVectors>
__global__ void triad(float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c, float j) {
  const std::size_t first = blockIdx.x * (std::size_t{blockDim.x} * kVectors) + threadIdx.x;
  float4 x[kVectors];
  float4 y[kVectors];
#pragma unroll
  for (int each = 0; each < kVectors; ++each) {
    x[each] = b[first + each * blockDim.x];
    y[each] = c[first + each * blockDim.x];
  }
#pragma unroll
  for (int each = 0; each < kVectors; ++each)
    a[first + each * blockDim.x] = make_float4(j * y[each].x + x[each].x, j * y[each].y + x[each].y,
                                               j * y[each].z + x[each].z, j * y[each].w + x[each].w);
}

/// In the way that is fastest here: so many vectors for each of so many threads.
class Triad final : public CudaPeer {
 public:
  explicit Triad(std::size_t count) : a_(count), b_(count), c_(count) {
    fill(b_);
    fill(c_);
    double best = std::numeric_limits<double>::infinity();
    for (const Way& way : kWays)
      for (int repetition = 0; repetition < 3; ++repetition)
        if (const double taken = seconds_of(way); repetition > 0 && taken < best) {
          best = taken;
          way_ = way;
        }
  }
  double seconds() override { return seconds_of(way_); }

 private:
  using Kernel = void (*)(float4*, const float4*, const float4*, float);
  struct Way {
    Kernel kernel;
    unsigned vectors;
    unsigned threads;
  };
  static constexpr Way kWays[] = {{triad<1>, 1, 256},  {triad<1>, 1, 512},  {triad<1>, 1, 1024}, {triad<2>, 2, 256},
                                  {triad<2>, 2, 512},  {triad<2>, 2, 1024}, {triad<4>, 4, 256},  {triad<4>, 4, 512},
                                  {triad<4>, 4, 1024}, {triad<8>, 8, 128},  {triad<8>, 8, 256},  {triad<8>, 8, 512}};

  double seconds_of(const Way& way) {
    return timed([&] {
      const auto blocks = static_cast<unsigned>(a_.size() / 4 / (std::size_t{way.vectors} * way.threads));
      way.kernel<<<blocks, way.threads>>>(reinterpret_cast<float4*>(a_.get()),
                                          reinterpret_cast<const float4*>(b_.get()),
                                          reinterpret_cast<const float4*>(c_.get()), 0.5F);
    });
  }

  DeviceArray<float> a_;
  DeviceArray<float> b_;
  DeviceArray<float> c_;
  Way way_{};
};

__global__ void update(unsigned long long* table, const unsigned long long* seeds, std::uint64_t count,
                       std::uint64_t mask) {
  unsigned long long number = seeds[blockIdx.x * std::size_t{blockDim.x} + threadIdx.x];
  for (std::uint64_t each = 0; each < count; ++each) {
    number = (number << 1) ^ (static_cast<long long>(number) < 0 ? 7ULL : 0ULL);
    atomicXor(&table[number & mask], number);
  }
}

class Updates final : public CudaPeer {
 public:
  explicit Updates(int log_words) : table_(std::size_t{1} << log_words), seeds_(kGenerators) {
    check(cudaMemset(table_.get(), 0, table_.bytes()), "cudaMemset");
    std::vector<unsigned long long> seeds(kGenerators);
    for (std::size_t each = 0; each < kGenerators; ++each) seeds[each] = hpcc::number_at(each * count());
    check(cudaMemcpy(seeds_.get(), seeds.data(), seeds_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  double seconds() override {
    return timed([this] {
      update<<<kGenerators / kThreads, kThreads>>>(table_.get(), seeds_.get(), count(), table_.size() - 1);
    });
  }

 private:
  static constexpr std::size_t kGenerators = std::size_t{1} << 20;
  std::uint64_t count() const { return 4 * table_.size() / kGenerators; }

  DeviceArray<unsigned long long> table_;
  DeviceArray<unsigned long long> seeds_;
};

cublasStatus_t gemm(cublasHandle_t handle, int n, const float* alpha, const float* a, const float* b, const float* beta,
                    float* c) {
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, a, n, b, n, beta, c, n);
}
cublasStatus_t gemm(cublasHandle_t handle, int n, const double* alpha, const double* a, const double* b,
                    const double* beta, double* c) {
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, a, n, b, n, beta, c, n);
}

template <typename T>
class Multiplication final : public CudaPeer {
 public:
  explicit Multiplication(int n) : n_(n), a_(square()), b_(square()), c_(square()) {
    fill(a_);
    fill(b_);
    fill(c_);
    check_library(cublasCreate(&handle_), "cublasCreate");
  }
  ~Multiplication() override { cublasDestroy(handle_); }
  double seconds() override {
    const T alpha = 0.5;
    const T beta = 0.5;
    return timed([&] { check_library(gemm(handle_, n_, &alpha, a_.get(), b_.get(), &beta, c_.get()), "cublasXgemm"); });
  }

 private:
  std::size_t square() const { return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_); }

  int n_;
  DeviceArray<T> a_;
  DeviceArray<T> b_;
  DeviceArray<T> c_;
  cublasHandle_t handle_ = nullptr;
};

class Transforms final : public CudaPeer {
 public:
  Transforms(int log_size, std::size_t values) : in_(2 * values), out_(2 * values) {
    fill(in_);
    int size = 1 << log_size;
    check_library(cufftPlanMany(&plan_, 1, &size, nullptr, 1, size, nullptr, 1, size, CUFFT_C2C,
                                static_cast<int>(values >> log_size)),
                  "cufftPlanMany");
  }
  ~Transforms() override { cufftDestroy(plan_); }
  double seconds() override {
    return timed([this] {
      check_library(cufftExecC2C(plan_, reinterpret_cast<cufftComplex*>(in_.get()),
                                 reinterpret_cast<cufftComplex*>(out_.get()), CUFFT_FORWARD),
                    "cufftExecC2C");
    });
  }

 private:
  DeviceArray<float> in_;
  DeviceArray<float> out_;
  cufftHandle plan_ = 0;
};

class Decomposition final : public CudaPeer {
 public:
  explicit Decomposition(int n) : n_(n), matrix_(square()), a_(square()), info_(1) {
    fill(matrix_, static_cast<std::size_t>(n), static_cast<float>(n));
    check_library(cusolverDnCreate(&handle_), "cusolverDnCreate");
    int floats = 0;
    check_library(cusolverDnSgetrf_bufferSize(handle_, n, n, a_.get(), n, &floats), "cusolverDnSgetrf_bufferSize");
    work_ = std::make_unique<DeviceArray<float>>(static_cast<std::size_t>(floats));
  }
  ~Decomposition() override { cusolverDnDestroy(handle_); }
  double seconds() override {
    check(cudaMemcpy(a_.get(), matrix_.get(), a_.bytes(), cudaMemcpyDeviceToDevice), "cudaMemcpy");
    return timed([this] {
      check_library(cusolverDnSgetrf(handle_, n_, n_, a_.get(), n_, work_->get(), nullptr, info_.get()),
                    "cusolverDnSgetrf");
    });
  }

 private:
  std::size_t square() const { return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_); }

  int n_;
  DeviceArray<float> matrix_;
  DeviceArray<float> a_;
  DeviceArray<int> info_;
  std::unique_ptr<DeviceArray<float>> work_;
  cusolverDnHandle_t handle_ = nullptr;
};

}  // namespace

std::string cuda_device() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return std::string(properties.name) + ", CUDA " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Peer cuda_triad(std::size_t count) {
  return std::make_unique<Triad>(count);
}
Peer cuda_updates(int log_words) {
  return std::make_unique<Updates>(log_words);
}
Peer cublas_sgemm(int n) {
  return std::make_unique<Multiplication<float>>(n);
}
Peer cublas_dgemm(int n) {
  return std::make_unique<Multiplication<double>>(n);
}
Peer cufft_transforms(int log_size, std::size_t values) {
  return std::make_unique<Transforms>(log_size, values);
}
Peer cusolver_lu(int n) {
  return std::make_unique<Decomposition>(n);
}

}  // namespace isthmus::bench
