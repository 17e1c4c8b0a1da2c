#include "flows/threads/run_threads.hpp"

#include <map>
#include <utility>

#include "flows/stream/host.hpp"
#include "flows/threads/compute_units.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {

native::Report run_threads(Graph& graph, const Job& job, int units) {
  std::map<std::string, int> placement = job.placement;  // what the user says of a copy holds
  placement.merge(placement_of_units(job, units));
  native::Report report = native::run(
      graph,
      {.workers = job.workers, .placement = std::move(placement), .throw_on_error = false, .silence = job.silence});
  if (report.outcome != Outcome::finished) stop_if_interrupted();
  if (report.outcome == Outcome::failed) throw Error(report.message);
  return report;
}

std::string why_missing(const native::Report& report) {
  return report.outcome == Outcome::finished ? kOutputEnded : report.message;
}

}  // namespace isthmus::program
