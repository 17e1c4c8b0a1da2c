#include "isthmus/hpcc/equations.hpp"

#include <cmath>
#include <numeric>

namespace isthmus::hpcc {

double stream_rate(int arrays, double bytes_of_array, double seconds) {
  return arrays * bytes_of_array / seconds;
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
