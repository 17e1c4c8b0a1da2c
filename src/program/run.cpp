#include "program/run.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {

void add(FlowTimes& sum, const FlowTimes& more) {
  sum.elapsed += more.elapsed;
  sum.latencies.insert(sum.latencies.end(), more.latencies.begin(), more.latencies.end());
  if (sum.first.empty()) sum.first = more.first;
  if (sum.stages.empty()) sum.stages.resize(more.stages.size());
  for (std::size_t i = 0; i < more.stages.size(); ++i) {
    sum.stages[i].name = more.stages[i].name;
    sum.stages[i].time += more.stages[i].time;
  }
}

const std::vector<std::string>& flows() {
  static const std::vector<std::string> kAll{"offload", "overlap", "stream", "shared"};
  return kAll;
}

bool is_streaming(const std::string& flow) {
  return flow == "stream" || flow == "shared";
}

std::vector<std::string> flows_of(const ByteApplication& application) {
  std::vector<std::string> found;
  for (const std::string& flow : flows())
    if (is_streaming(flow) ? static_cast<bool>(application.kernel) : application.extras.device.has_value())
      found.push_back(flow);
  return found;
}

const DeviceKernel& device_kernel_of(const ByteApplication& application) {
  if (const auto& kernel = application.extras.device) return *kernel;
  throw Error(fmt::format("application '{}': expected a kernel for devices, got none", application.name));
}

void check_words(const ByteApplication& application) {
  for (const std::size_t bytes : {application.input, application.output})
    if (bytes == 0 || bytes % kWordBytes != 0)
      throw Error(fmt::format("application '{}': expected messages of a multiple of {} bytes, got {}", application.name,
                              kWordBytes, bytes));
}

}  // namespace isthmus::program
