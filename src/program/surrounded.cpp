#include "program/surrounded.hpp"

#include "program/flows.hpp"

namespace isthmus::program {

Run run_surrounded(offload::ModelDevice& device, const Job& job, offload::Surroundings& beside, Exchange& messages) {
  const Time before = device.clock();
  const auto flow = flow_named(job.flow).between_copies(device, job.application);
  Run run{.setup = device.info().opening + (device.clock() - before)};
  device.surround(&beside);
  run.times = flow->run(messages, 0, job.count);
  device.surround(nullptr);
  return run;
}

}  // namespace isthmus::program
