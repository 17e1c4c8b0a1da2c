#include "isthmus/hpcc/equations.hpp"

#include <cmath>
#include <numeric>

namespace isthmus::hpcc {

double stream_rate(int arrays, double bytes_of_array, double seconds) {
  return arrays * bytes_of_array / seconds;
}

double pipeline_cycles(double latency, double interval, double iterations) {
  return latency + interval * (iterations - 1);
}

double unrolled_cycles(double latency, double interval, double iterations, double unrolling) {
  return latency + interval * (iterations - unrolling) / unrolling;
}

double fft_flops(double log_size, double hertz, double replications) {
  return fft_flops_of_values(log_size, hertz * replications * 8);
}

double fft_flops_of_values(double log_size, double values) {
  return 5 * log_size * values;
}

double gemm_block_seconds(double n, const GemmDesign& design) {
  const double square = design.block * design.block;
  const double cube = square * design.block;
  const double load = square / (design.unrolling * design.memory_hertz);
  const double multiply = cube / (std::pow(design.registers, 3) * design.kernel_hertz);
  return load + multiply + load / (n / design.block);
}

double gemm_flops(double n, double replications, const GemmDesign& design) {
  return replications * 2 * std::pow(design.block, 3) / gemm_block_seconds(n, design);
}

double effective_bandwidth(std::span<const double> best_of_each_size) {
  const double sum = std::accumulate(best_of_each_size.begin(), best_of_each_size.end(), 0.0);
  return sum / static_cast<double>(best_of_each_size.size());
}

double staged_bandwidth(double message_bytes, double write_seconds, double exchange_seconds, double read_seconds) {
  return 2 * message_bytes / (write_seconds + exchange_seconds + read_seconds);
}

double channel_seconds(double message_bytes, double messages, const SerialChannel& channel) {
  const double cycles = std::ceil(message_bytes / (channel.channels * channel.width_bytes)) * messages;
  return cycles / channel.hertz + messages * channel.latency;
}

double channel_bandwidth(double message_bytes, const SerialChannel& channel) {
  return 2 * message_bytes / channel_seconds(message_bytes, 1, channel);
}

double transpose_block_seconds(double exchange_seconds, double block_size, double channel_values, double hertz) {
  return exchange_seconds + 3 * block_size * block_size / channel_values / hertz;
}

double transpose_memory_bandwidth(double channels, const SerialChannel& channel) {
  return 3 * channels * channel.width_bytes * channel.hertz;
}

double transpose_network_bandwidth(double fpgas, double channels, const SerialChannel& channel) {
  return fpgas * channels * channel.width_bytes * channel.hertz;
}

double staged_bandwidth_limit(double network, double pcie) {
  return staged_bandwidth(1, 1 / pcie, 1 / network, 1 / pcie);
}

double transpose_flops(double n, double seconds) {
  return n * n / seconds;
}

double transpose_rate(double n, double value_bytes, double seconds) {
  return n * n * value_bytes / seconds;
}

double transpose_traffic(double n, double value_bytes, double seconds) {
  return 3 * n * n * value_bytes / seconds;
}

}  // namespace isthmus::hpcc
