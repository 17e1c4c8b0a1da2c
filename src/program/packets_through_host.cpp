#include "program/packets_through_host.hpp"

#include "program/flows.hpp"
#include "program/host_network.hpp"

namespace isthmus::program {

Run run_packets_through_host(const platform::Description& board, offload::ModelDevice& device, const Job& job) {
  PacketChecker checker = checker_of(job);
  PacketsBeside beside(checker);
  HostNetwork network(board, job, beside);
  const Time before = device.clock();
  const auto flow = flow_named(job.flow).between_copies(device, job.application);
  Run run{.setup = device.info().opening + (device.clock() - before)};
  device.surround(&network);
  run.times = flow->run(network, 0, job.count);
  device.surround(nullptr);
  beside.finish();
  const FlowTimes passed = times_of(network.times(), checker.order());
  run.times.elapsed = passed.elapsed;
  run.times.latencies = passed.latencies;
  run.difference = checker.difference();
  run.packets = checker.tally();
  run.packets->cores = (network.work() + device.host_work()).seconds() / device.last_run().seconds();
  return run;
}

}  // namespace isthmus::program
