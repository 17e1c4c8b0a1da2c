#include "flows/offload/surrounded.hpp"

#include "flows/offload/run_on_device.hpp"

namespace isthmus::program {

Run run_surrounded(offload::ModelDevice& device, const Flow& flow, const Job& job, offload::Surroundings& beside,
                   Exchange& messages) {
  const auto [ready, setup] = set_up(device, flow, job);
  Run run{.setup = setup};
  device.surround(&beside);
  run.times = ready->run(messages, 0, job.count);
  device.surround(nullptr);
  return run;
}

}  // namespace isthmus::program
