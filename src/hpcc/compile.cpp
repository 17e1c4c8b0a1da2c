#include "isthmus/hpcc/compile.hpp"

#include <fmt/format.h>

#include <fstream>

#include "hpcc/run_conditions.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

/// The facts of a board that is not here on which defaults may depend.
offload::DeviceProperties board() {
  constexpr std::int64_t kBlockMemory = std::int64_t{8} << 20U;  // bytes: less than any board of meyer2024 has on chip
  offload::DeviceProperties properties;
  properties.target = properties.name = kBoard;
  properties.type = "accelerator";
  properties.compute_units = 1;
  properties.local_memory = kBlockMemory;
  return properties;
}

void write(const std::string& file, const std::vector<std::byte>& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw Error(fmt::format("{}: cannot write the binary", file));
}

}  // namespace

Compilation parameters_of(const Request& request) {
  const RunConditions conditions = conditions_of(
      request, request.target == kBoard ? board() : offload::open_opencl(request.target)->properties(), 1);
  const Parameters parameters(entry_of(request.benchmark).parameters(conditions), request.overrides);
  return {.conditions = conditions, .parameters = parameters.all()};
}

Compilation compile(const Request& request, const std::string& binary) {
  Compilation made = parameters_of(request);
  const std::shared_ptr<offload::Device> device = offload::open_opencl(request.target);
  Job job(request.benchmark, {.device = device,
                              .ranks = cluster::alone(),
                              .conditions = made.conditions,
                              .parameters = Parameters(made.parameters, {}),
                              .kernel_file = request.kernel_file});
  write(binary, job.program()->binary());
  made.kernel_file = job.kernel_file();
  return made;
}

}  // namespace isthmus::hpcc
