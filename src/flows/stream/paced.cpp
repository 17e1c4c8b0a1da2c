#include "flows/stream/paced.hpp"

#include <optional>

#include "isthmus/base/worker.hpp"

namespace isthmus::program {
namespace {

BoardRun all_finely(const Job& job, const PacedFlow& flow) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  BoardRun result = flow.run(job.count, messages).stream;
  messages.compare_rest();
  result.run.difference = checker.difference();
  return result;
}

/// None if the pace does not become steady.
std::optional<BoardRun> coarsely(const Job& job, const Lengths& lengths, const PacedFlow& flow) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  FineStream shorter;
  Worker beside;
  beside.add([&] { shorter = flow.run_unseen(lengths.shorter); });
  const FineStream longer = flow.run(lengths.longer, messages);
  beside.finish();
  if (!flow.steady(longer)) return {};
  flow.rest(lengths.longer, messages);
  messages.compare_rest();
  BoardRun result = extend(shorter.stream, longer.stream, lengths, job.count);
  result.run.difference = checker.difference();
  return result;
}

}  // namespace

BoardRun run_paced(const Job& job, const Lengths& lengths, const PacedFlow& flow) {
  const Extras& extras = job.application.extras;
  const bool fine = job.grain == Grain::fine || job.states != nullptr || job.faults.any() || !extras.steady ||
                    extras.memory || extras.host;
  if (fine || job.count <= lengths.shorter + lengths.longer) return all_finely(job, flow);
  const auto result = coarsely(job, lengths, flow);
  return result ? *result : all_finely(job, flow);
}

}  // namespace isthmus::program
