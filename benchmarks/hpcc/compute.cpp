// GEMM, FFT and HPL beside OpenBLAS, FFTW and Debian's hpcc.
#include <cblas.h>
#include <fftw3.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "hpcc/random_values.hpp"
#include "isthmus/base/error.hpp"
#include "linpack_peer.hpp"
#include "main.hpp"
#include "pairs.hpp"

namespace isthmus::bench {
namespace {

struct Options {
  std::string json;
  int pairs = 5;
  std::string only;
};

template <typename T>
std::vector<T> random_matrix(std::size_t n, std::uint64_t seed) {
  const hpcc::RandomValues random(seed);
  std::vector<T> values(n * n);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = static_cast<T>(random.at(index));
  return values;
}

/// OpenBLAS's C = alpha A B + beta C on all cores.
template <typename T>
class Multiplication {
 public:
  explicit Multiplication(std::size_t n)
      : n_(n), a_(random_matrix<T>(n, 0)), b_(random_matrix<T>(n, 1)), c_(random_matrix<T>(n, 2)) {}

  double seconds() {
    return seconds_of([this] {
      const auto n = static_cast<blasint>(n_);
      if constexpr (sizeof(T) == sizeof(float))
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 0.5, a_.data(), n, b_.data(), n, 0.5, c_.data(),
                    n);
      else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 0.5, a_.data(), n, b_.data(), n, 0.5, c_.data(),
                    n);
    });
  }

 private:
  std::size_t n_;
  std::vector<T> a_;
  std::vector<T> b_;
  std::vector<T> c_;
};

template <typename T>
Row gemm(const char* name, const char* type, int pairs) {
  constexpr std::size_t kSize = 4096;
  Ours ours("gemm", {fmt::format("MATRIX_SIZE={}", kSize), fmt::format("DATA_TYPE={}", type)});
  Multiplication<T> peer(kSize);
  const auto ratios = ratios_of(
      pairs, [&] { return 1 / ours.seconds(); }, [&] { return 1 / peer.seconds(); });
  ours.validate();
  return {name, ratios, 0.85, 0.95, fmt::format("OpenBLAS {} {}, n = {}", openblas_get_corename(), type, kSize)};
}

/// FFTW's batch of transforms on all cores, out of place, planned by measurement.
class Transforms {
 public:
  Transforms(int log_size, std::size_t values) : in_(2 * values), out_(2 * values) {
    const int size = 1 << log_size;
    auto* in = reinterpret_cast<fftwf_complex*>(in_.data());
    auto* out = reinterpret_cast<fftwf_complex*>(out_.data());
    plan_ = fftwf_plan_many_dft(1, &size, static_cast<int>(values >> log_size), in, nullptr, 1, size, out, nullptr, 1,
                                size, FFTW_FORWARD, FFTW_MEASURE);
    const hpcc::RandomValues random(0);
    for (std::size_t index = 0; index < in_.size(); ++index) in_[index] = static_cast<float>(random.at(index));
  }
  ~Transforms() { fftwf_destroy_plan(plan_); }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  double seconds() {
    return seconds_of([this] { fftwf_execute(plan_); });
  }

 private:
  std::vector<float> in_;
  std::vector<float> out_;
  fftwf_plan plan_;
};

std::vector<Row> fft(int pairs) {
  constexpr std::size_t kValues = std::size_t{1} << 24;
  fftwf_init_threads();
  fftwf_plan_with_nthreads(static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<double> medians;
  for (int log_size = 5; log_size <= 17; ++log_size) {
    Ours ours("fft", {fmt::format("LOG_FFT_SIZE={}", log_size), fmt::format("DATA_SIZE={}", kValues)});
    Transforms peer(log_size, kValues);
    medians.push_back(median_of(ratios_of(
        pairs, [&] { return 1 / ours.seconds(); }, [&] { return 1 / peer.seconds(); })));
    ours.validate();
    fmt::print("hpcc.fft 2^{}: {:.3f} of FFTW\n", log_size, medians.back());
  }
  double product = 1;
  for (const double each : medians) product *= std::pow(each, 1.0 / static_cast<double>(medians.size()));
  const double least = *std::ranges::min_element(medians);
  const std::string peer = "FFTW (FFTW_MEASURE), 2^5 .. 2^17, batches of 128 MiB";
  return {{"hpcc.fft.vs_fftw", {product}, 0.7, 1.0, peer + ", geometric mean"},
          {"hpcc.fft.vs_fftw.least", {least}, 0.5, 0.5, peer + ", the worst size"}};
}

constexpr double kLuOperations = 2.0 / 3;  // times n^3

Row hpl_beside_dgemm(int pairs) {
  constexpr double kSize = 8192;
  constexpr std::size_t kMultiplied = 4096;
  Ours ours("hpl", {"MATRIX_SIZE=8192", "DATA_TYPE=double"});
  Multiplication<double> peer(kMultiplied);
  const auto ratios = ratios_of(
      pairs, [&] { return kLuOperations * std::pow(kSize, 3) / ours.seconds(); },
      [&] { return 2 * std::pow(static_cast<double>(kMultiplied), 3) / peer.seconds(); });
  ours.validate();
  return {"hpcc.hpl_double.vs_dgemm", ratios, 0.65, 0.8, "OpenBLAS dgemm, FLOP/s of n = 8192 over n = 4096"};
}

Row hpl_beside_hpcc(int pairs) {
  constexpr int kSize = 4000;
  const LinpackPeer peer = LinpackPeer::fastest(kSize);
  Ours ours("hpl", {fmt::format("MATRIX_SIZE={}", kSize), "DATA_TYPE=double"});
  const double operations = kLuOperations * std::pow(kSize, 3);
  const auto ratios = ratios_of(
      pairs, [&] { return operations / ours.seconds(); }, [&] { return peer.flops(); });
  ours.validate();
  return {"hpcc.hpl_double.vs_hpcc", ratios, 1.2, 1.5,
          fmt::format("Debian's hpcc, n = {}, {}; it pivots and times the solve, we do neither", kSize,
                      peer.description())};
}

/// Starts this program anew with what the libraries read before `main`: Debian's OpenBLAS takes new processors for
/// older ones than they are, as an environment may that was made for it, and PoCL leaves its threads unbound.
void restart_at_their_best(char** argv) {
  if (std::getenv("POCL_AFFINITY") != nullptr) return;
  setenv("POCL_AFFINITY", "1", 1);
  if (__builtin_cpu_supports("avx512f") != 0) setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
  execv("/proc/self/exe", argv);
  throw Error("cannot start this program anew");
}

int run(const Options& options) {
  using Rows = std::vector<Row>;
  const int pairs = options.pairs;
  const auto rows =
      measured({{"gemm_float", [&] { return Rows{gemm<float>("hpcc.gemm_float.vs_openblas", "float", pairs)}; }},
                {"gemm_double", [&] { return Rows{gemm<double>("hpcc.gemm_double.vs_openblas", "double", pairs)}; }},
                {"fft", [&] { return fft(pairs); }},
                {"hpl_dgemm", [&] { return Rows{hpl_beside_dgemm(pairs)}; }},
                {"hpl_hpcc", [&] { return Rows{hpl_beside_hpcc(pairs)}; }}},
               options.only);
  if (!options.json.empty()) append_json(options.json, rows);
  return 0;
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  isthmus::bench::Options options;
  return isthmus::bench::run_main(
      "GEMM, FFT and HPL on the first OpenCL device beside their peers, in interleaved pairs.",
      {isthmus::bench::text("--json", options.json, "add [{name, value, unit, against}] to this file"),
       isthmus::bench::number("--pairs", options.pairs, 1, 1000, "pairs of each figure; the median counts"),
       isthmus::bench::text("--only", options.only,
                            "measures whose name has this in it: gemm_float, gemm_double, fft, hpl_...")},
      std::span(argv, static_cast<std::size_t>(argc)), [&] {
        isthmus::bench::restart_at_their_best(argv);
        return isthmus::bench::run(options);
      });
}
