#pragma once

#include <cmath>
#include <numeric>
#include <span>

/// The equations of meyer2024 as functions, in SI units. Where a printed form is wrong, both are given.
namespace isthmus::hpcc {

/// STREAM's bytes a second: arrays touched times their bytes, over the time (meyer2024 3.1.2, as in STREAM v5.10: Copy
/// and Scale touch two arrays, Add and Triad three; a write that first reads its line counts once).
inline double stream_rate(int arrays, double bytes_of_array, double seconds) {
  return arrays * bytes_of_array / seconds;
}

/// Equation 2.1: cycles of a pipeline of latency L that starts an iteration every `interval` cycles.
inline double pipeline_cycles(double latency, double interval, double iterations) {
  return latency + interval * (iterations - 1);
}

/// Equation 2.2: the same with loops unrolled `unrolling` times: L + II (N - U) / U.
inline double unrolled_cycles(double latency, double interval, double iterations, double unrolling) {
  return latency + interval * (iterations - unrolling) / unrolling;
}

/// Equation 3.1: floating-point operations a second of FFTs of 2^log_size values, eight of which each replication takes
/// a cycle: 5 s f r 8. `hertz` is the lower of the kernel's and the memory interface's frequency. The text says that
/// all boards reach more than 85 % of it; of its own figures (table 3.6) 520N, U280 DDR and U280 HBM2 do, the others 71
/// to 80 %.
inline double fft_flops(double log_size, double hertz, double replications) {
  return 5 * log_size * hertz * replications * 8;
}

/// What equation 3.2 speaks of: parameters and frequencies of the GEMM kernel.
struct GemmDesign {
  double block = 512;       ///< b: BLOCK_SIZE
  double registers = 8;     ///< g: GEMM_SIZE
  double unrolling = 16;    ///< u: GLOBAL_MEM_UNROLL
  double kernel_hertz = 0;  ///< f_k
  double memory_hertz = 0;  ///< f_mem
};

/// Equation 3.2: seconds for one multiplication of blocks in an n x n GEMM, loading, multiplying, and its share of
/// writing the result: b^2/(u f_mem) + b^3/(g^3 f_k) + b^2/(u (n/b) f_mem). The text lists r, which it does not use;
/// `gemm_flops` does. It says that measured rates are within 1.8 % of it on all boards with memory of their own; of its
/// own figures those of table 4.8 are (u = 8), those of table 3.6 are 5 to 10 % below it.
inline double gemm_block_seconds(double n, const GemmDesign& design) {
  const double square = design.block * design.block;
  const double cube = square * design.block;
  const double load = square / (design.unrolling * design.memory_hertz);
  const double multiply = cube / (std::pow(design.registers, 3) * design.kernel_hertz);
  return load + multiply + load / (n / design.block);
}

/// Floating-point operations a second that follow: replications * 2 b^3 / t.
inline double gemm_flops(double n, double replications, const GemmDesign& design) {
  return replications * 2 * std::pow(design.block, 3) / gemm_block_seconds(n, design);
}

/// Equation 4.1: the mean over message sizes of each size's best bandwidth, in bytes a second. Printed with the divisor
/// 21, the number of sizes 2^0 ... 2^20.
inline double effective_bandwidth(std::span<const double> best_of_each_size) {
  const double sum = std::accumulate(best_of_each_size.begin(), best_of_each_size.end(), 0.0);
  return sum / static_cast<double>(best_of_each_size.size());
}

/// Equation 4.2: the bandwidth at message size L of the base scheme, where a message is read from the device, exchanged
/// and written one after the other, both directions counted.
inline double staged_bandwidth(double message_bytes, double write_seconds, double exchange_seconds,
                               double read_seconds) {
  return 2 * message_bytes / (write_seconds + exchange_seconds + read_seconds);
}

/// What a serial channel is (meyer2024 table 4.2).
struct SerialChannel {
  int channels = 2;         ///< c'_n: that one kernel pair uses
  double width_bytes = 32;  ///< c_w
  double hertz = 156.25e6;  ///< c_f
  double latency = 520e-9;  ///< c_l, seconds
};

/// Equation 4.3: how long a kernel pair takes for `messages` messages of L bytes, each sent after the one before came.
inline double channel_seconds(double message_bytes, double messages, const SerialChannel& channel = {}) {
  const double cycles = std::ceil(message_bytes / (channel.channels * channel.width_bytes)) * messages;
  return cycles / channel.hertz + messages * channel.latency;
}

/// Equation 4.4: the bandwidth of a kernel pair at message size L, both directions counted; 4.3 with one message and
/// the values of table 4.2 put in. Its 520 ns are an upper bound: table 4.8 has 340 ns for a byte.
inline double channel_bandwidth(double message_bytes, const SerialChannel& channel = {}) {
  return 2 * message_bytes / channel_seconds(message_bytes, 1, channel);
}

/// Equation 4.5: the time of one matrix block of PTRANS, exchange and three pipelines one after the other. Printed as
/// t_MPI + 3 b^2 / c_w * c_f, which multiplies by the frequency; seconds come from dividing by it.
inline double transpose_block_seconds(double exchange_seconds, double block_size, double channel_values, double hertz) {
  return exchange_seconds + 3 * block_size * block_size / channel_values / hertz;
}

/// Equation 4.6: bytes a second that PTRANS asks of global memory to keep r external channels busy: 3 r c_w c_f.
inline double transpose_memory_bandwidth(double channels, const SerialChannel& channel = {}) {
  return 3 * channels * channel.width_bytes * channel.hertz;
}

/// The bound that goes with it, p = i r 32 B 156.25 MHz for i FPGAs. Printed as FLOP/s; it is bytes a second.
inline double transpose_network_bandwidth(double fpgas, double channels, const SerialChannel& channel = {}) {
  return fpgas * channels * channel.width_bytes * channel.hertz;
}

/// Equation 4.7: equation 4.2 for long messages, by the bandwidths of network and PCIe alone, in bytes a second.
inline double staged_bandwidth_limit(double network, double pcie) {
  return staged_bandwidth(1, 1 / pcie, 1 / network, 1 / pcie);
}

/// Floating-point operations a second of an n x n PTRANS: one addition for each value (meyer2024 4.1.2).
inline double transpose_flops(double n, double seconds) {
  return n * n / seconds;
}

/// What PTRANS reports in bytes a second: n^2 w / t, values of w bytes.
inline double transpose_rate(double n, double value_bytes, double seconds) {
  return n * n * value_bytes / seconds;
}

/// What its kernel moves through memory a second: A and B read, C written, 3 n^2 w / t.
inline double transpose_traffic(double n, double value_bytes, double seconds) {
  return 3 * n * n * value_bytes / seconds;
}

}  // namespace isthmus::hpcc
