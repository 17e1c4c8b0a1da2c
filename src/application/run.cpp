#include "application/run.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {

void add(FlowTimes& sum, const FlowTimes& more) {
  for (const Time end : more.launches) sum.launches.push_back(sum.elapsed + end);
  sum.elapsed += more.elapsed;
  if (more.computing) sum.computing = sum.computing.value_or(Time{}) + *more.computing;
  sum.latencies.insert(sum.latencies.end(), more.latencies.begin(), more.latencies.end());
  if (sum.first.empty()) sum.first = more.first;
  if (sum.stages.empty()) sum.stages.resize(more.stages.size());
  for (std::size_t i = 0; i < more.stages.size(); ++i) {
    sum.stages[i].name = more.stages[i].name;
    sum.stages[i].time += more.stages[i].time;
  }
}

const DeviceKernel& device_kernel_of(const ByteApplication& application) {
  if (const auto& kernel = application.extras.device) return *kernel;
  throw Error(fmt::format("application '{}': expected a kernel for devices, got none", application.name));
}

const Packets& packets_of(const ByteApplication& application) {
  if (const auto& packets = application.extras.packets) return *packets;
  throw Error(fmt::format("application '{}': expected packets, got other messages", application.name));
}

void check_words(const ByteApplication& application) {
  for (const std::size_t bytes : {application.input, application.output})
    if (bytes == 0 || bytes % kWordBytes != 0)
      throw Error(fmt::format("application '{}': expected messages of a multiple of {} bytes, got {}", application.name,
                              kWordBytes, bytes));
}

}  // namespace isthmus::program
