#include "program/run_threads.hpp"

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "program/host.hpp"

namespace isthmus::program {

native::Report run_threads(Graph& graph, const Job& job) {
  native::Report report = native::run(
      graph, {.workers = job.workers, .placement = job.placement, .throw_on_error = false, .silence = job.silence});
  if (report.outcome != Outcome::finished) stop_if_interrupted();
  if (report.outcome == Outcome::failed) throw Error(report.message);
  return report;
}

std::string why_missing(const native::Report& report) {
  return report.outcome == Outcome::finished ? kOutputEnded : report.message;
}

}  // namespace isthmus::program
