#include "apps/chip_run.hpp"

#include <utility>

namespace isthmus::apps {

program::Together run_on_chip(const platform::Description& board, const soc::Layout& layout,
                              const program::TogetherJob& job,
                              const std::function<void(soc::Cpu&, MessageTimes&)>& program,
                              const soc::AddKernel& kernel) {
  MessageTimes times;
  soc::Outcome outcome = soc::run(
      board, layout, job.choice, [&](soc::Cpu& cpu) { program(cpu, times); }, kernel);
  return {.elapsed = outcome.elapsed,
          .latencies = times.latencies(),
          .stages = std::move(outcome.stages),
          .parts = std::move(outcome.parts),
          .lasted = outcome.elapsed};
}

}  // namespace isthmus::apps
