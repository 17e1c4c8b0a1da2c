// Prints the OpenCL devices of this machine, PoCL first, as JSON lines.
#include "isthmus/offload/open.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;

int print_devices(tools::Request& request) {
  request.refuse_others();
  for (const auto& device : offload::opencl_devices())
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
}

}  // namespace

int main(int argc, char** argv) {
  return isthmus::tools::run(
      argc, argv, [] { return isthmus::tools::Record::object(); }, print_devices);
}
