// HPC Challenge on a GPU through OpenCL beside CUDA on the same GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "main.hpp"
#include "pairs.hpp"
#include "peers.hpp"

namespace isthmus::bench {
namespace {

struct Options {
  std::string json;
  std::string on;
  int pairs = 5;
  std::string only;
};

using Rows = std::vector<Row>;

/// Pairs of a benchmark of ours and a peer, by the work a second of each.
struct Pair {
  std::string benchmark;
  std::vector<std::string> overrides;
  std::size_t metric = 0;
  double work = 1;
  double work_of_peer = 1;
};

class Comparison {
 public:
  explicit Comparison(Options options) : options_(std::move(options)) {}

  std::vector<double> ratios(const Pair& pair, CudaPeer& peer) const {
    Ours ours(pair.benchmark, pair.overrides, options_.on);
    // Each runs once before it counts: the GPU takes some 0.2 ms to go from one of the two drivers' contexts to the
    // other.
    auto found = ratios_of(
        options_.pairs,
        [&] {
          ours.seconds(pair.metric);
          return pair.work / ours.seconds(pair.metric);
        },
        [&] {
          peer.seconds();
          return pair.work_of_peer / peer.seconds();
        });
    ours.validate();
    return found;
  }

 private:
  Options options_;
};

// 2 GiB an array: a launch through OpenCL takes some 10 us more than one through CUDA, which is not what is compared.
constexpr std::size_t kFloats = std::size_t{1} << 29U;
constexpr std::size_t kTriad = 4;  // its place among the times of STREAM

Row triad(const Comparison& comparison) {
  const Peer peer = cuda_triad(kFloats);
  const Pair pair{.benchmark = "stream", .overrides = {fmt::format("ARRAY_SIZE={}", kFloats)}, .metric = kTriad};
  return {.name = "hpcc.gpu.stream_triad.vs_cuda",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.97,
          .aim = 1.0,
          .against = "CUDA kernel, float4, 3 x 2 GiB"};
}

Row updates(const Comparison& comparison) {
  constexpr int kLogWords = 27;  // 2^30 bytes
  const Peer peer = cuda_updates(kLogWords);
  const Pair pair{.benchmark = "random_access", .overrides = {fmt::format("TABLE_SIZE_LOG={}", kLogWords)}};
  return {.name = "hpcc.gpu.random_access.vs_cuda",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.95,
          .aim = 1.0,
          .against = "CUDA kernel, atomic xor, 1 GiB"};
}

constexpr int kGemmSize = 8192;

Row gemm_float(const Comparison& comparison) {
  const Peer peer = cublas_sgemm(kGemmSize);
  const Pair pair{.benchmark = "gemm", .overrides = {fmt::format("MATRIX_SIZE={}", kGemmSize), "DATA_TYPE=float"}};
  return {.name = "hpcc.gpu.gemm_float.vs_cublas",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.75,
          .aim = 0.9,
          .against = fmt::format("cuBLAS sgemm, n = {}", kGemmSize)};
}

Row gemm_double(const Comparison& comparison) {
  const Peer peer = cublas_dgemm(kGemmSize);
  const Pair pair{.benchmark = "gemm", .overrides = {fmt::format("MATRIX_SIZE={}", kGemmSize), "DATA_TYPE=double"}};
  return {.name = "hpcc.gpu.gemm_double.vs_cublas",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.5,
          .aim = 0.8,
          .against = fmt::format("cuBLAS dgemm, n = {}", kGemmSize)};
}

Rows fft(const Comparison& comparison) {
  constexpr std::size_t kValues = std::size_t{1} << 26U;
  std::map<std::string, double> of_size;
  double product = 1;
  double least = std::numeric_limits<double>::infinity();
  constexpr int kShortest = 5;
  constexpr int kLongest = 17;
  for (int log_size = kShortest; log_size <= kLongest; ++log_size) {
    const Peer peer = cufft_transforms(log_size, kValues);
    const Pair pair{.benchmark = "fft",
                    .overrides = {fmt::format("LOG_FFT_SIZE={}", log_size), fmt::format("DATA_SIZE={}", kValues)}};
    const double median = median_of(comparison.ratios(pair, *peer));
    fmt::print("hpcc.gpu.fft 2^{}: {:.3f} of cuFFT\n", log_size, median);
    of_size[fmt::format("2^{}", log_size)] = median;
    product *= std::pow(median, 1.0 / (kLongest - kShortest + 1));
    least = std::min(least, median);
  }
  const std::string peer = "cuFFT C2C, 2^5 .. 2^17, batches of 512 MiB";
  return {{.name = "hpcc.gpu.fft.vs_cufft",
           .ratios = {product},
           .must = 0.8,
           .aim = 0.95,
           .against = peer + ", geometric mean",
           .fields = of_size},
          {.name = "hpcc.gpu.fft.vs_cufft.least",
           .ratios = {least},
           .must = 0.8,
           .aim = 0.95,
           .against = peer + ", the worst size"}};
}

Row transposition(const Comparison& comparison) {
  constexpr double kSize = 16384;
  const Peer peer = cuda_triad(kFloats);
  const Pair pair{.benchmark = "ptrans",
                  .overrides = {fmt::format("MATRIX_SIZE={:.0f}", kSize)},
                  .work = 3 * sizeof(float) * kSize * kSize,
                  .work_of_peer = 3.0 * sizeof(float) * static_cast<double>(kFloats)};
  return {.name = "hpcc.gpu.ptrans.vs_triad",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.88,
          .aim = 0.93,
          .against = "traffic over that of CUDA's triad, n = 16384, float"};
}

Row hpl(const Comparison& comparison) {
  constexpr int kSize = 16384;
  const Peer peer = cusolver_lu(kSize);
  const Pair pair{.benchmark = "hpl", .overrides = {fmt::format("MATRIX_SIZE={}", kSize), "DATA_TYPE=float"}};
  return {.name = "hpcc.gpu.hpl_float.vs_cusolver",
          .ratios = comparison.ratios(pair, *peer),
          .must = 0.5,
          .aim = 0.8,
          .against = fmt::format("cuSOLVER getrf without pivots, n = {}", kSize)};
}

/// The first GPU that OpenCL has; CUDA's first device is the same one where both see one kind of GPU.
std::string first_gpu() {
  for (const auto& device : offload::opencl_devices())
    if (device.type == "gpu") return device.target;
  throw Error("OpenCL has no GPU here: expected one beside CUDA's");
}

int run(Options options) {
  if (options.on.empty()) options.on = first_gpu();
  const Comparison comparison(options);
  fmt::print("{} beside CUDA on {}\n", options.on, cuda_device());
  auto rows = measured({{"stream_triad", [&] { return Rows{triad(comparison)}; }},
                        {"random_access", [&] { return Rows{updates(comparison)}; }},
                        {"gemm_float", [&] { return Rows{gemm_float(comparison)}; }},
                        {"gemm_double", [&] { return Rows{gemm_double(comparison)}; }},
                        {"fft", [&] { return fft(comparison); }},
                        {"ptrans", [&] { return Rows{transposition(comparison)}; }},
                        {"hpl_float", [&] { return Rows{hpl(comparison)}; }}},
                       options.only);
  for (Row& row : rows) row.against += "; " + cuda_device();
  if (!options.json.empty()) append_json(options.json, rows);
  return 0;
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  isthmus::bench::Options options;
  return isthmus::bench::run_main(
      "HPC Challenge on a GPU through OpenCL beside CUDA on the same GPU, in interleaved pairs.",
      {isthmus::bench::text("--json", options.json, "add [{name, value, unit, against}] to this file"),
       isthmus::bench::text("--on", options.on, "opencl:N; by default the first GPU"),
       isthmus::bench::number("--pairs", options.pairs, 1, 1000, "pairs of each figure; the median counts"),
       isthmus::bench::text("--only", options.only,
                            "measures whose name has this in it: stream_triad, gemm_float, fft, ...")},
      std::span(argv, static_cast<std::size_t>(argc)), [&] { return isthmus::bench::run(options); });
}
