#include "flows/packets/packets_through_host.hpp"

#include "flows/offload/surrounded.hpp"
#include "flows/packets/host_network.hpp"

namespace isthmus::program {

Run run_packets_through_host(const platform::Description& board, offload::ModelDevice& device, const Flow& flow,
                             const Job& job) {
  PacketChecker checker = checker_of(job);
  PacketsBeside beside(checker);
  HostNetwork network(board, device, job, beside);
  Run run = run_surrounded(device, flow, job, network, network);
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
