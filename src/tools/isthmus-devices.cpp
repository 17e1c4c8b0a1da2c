// Prints the OpenCL devices of this machine as JSON lines.
#include <CLI/CLI.hpp>

#include "isthmus/offload/compute.hpp"
#include "tools/tool.hpp"

int main(int argc, char** argv) {
  using namespace isthmus;
  CLI::App app("Prints the OpenCL devices of this machine, PoCL first, as JSON lines.");
  return tools::run(app, argc, argv, [] {
    for (const auto& device : offload::compute_devices())
      tools::print({{"event", "device"},
                    {"target", device.target},
                    {"name", device.name},
                    {"platform", device.platform},
                    {"driver", device.driver},
                    {"type", device.type},
                    {"compute_units", device.compute_units},
                    {"global_memory_bytes", device.global_memory},
                    {"max_allocation_bytes", device.max_allocation}});
    return tools::kDone;
  });
}
