#include "program/stream_flow.hpp"

#include <algorithm>
#include <optional>

#include "isthmus/base/worker.hpp"
#include "isthmus/platform/link.hpp"
#include "program/flows.hpp"
#include "program/messages_beside.hpp"
#include "program/stream_fine.hpp"
#include "program/stream_steady.hpp"
#include "program/through_kernel.hpp"

namespace isthmus::program {
namespace {

StreamRun all_finely(const platform::Description& board, const Job& job) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  CopiedOut outputs(messages);
  StreamRun result = stream_finely(board, job, job.count, outputs).stream;
  messages.compare_rest();
  result.run.difference = checker.difference();
  return result;
}

/// None where the stream does not become steady.
std::optional<StreamRun> coarsely(const platform::Description& board, const Job& job, const Lengths& lengths) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  FineStream shorter;
  Worker beside;
  beside.add([&] {
    Dropped dropped;
    shorter = stream_finely(board, job, lengths.shorter, dropped);
  });
  CopiedOut outputs(messages);
  const FineStream longer = stream_finely(board, job, lengths.longer, outputs);
  beside.finish();
  if (!is_steady(longer.received, lengths)) return {};
  send_through_kernel(job, lengths.longer, messages);
  messages.compare_rest();
  StreamRun result = extend(shorter.stream, longer.stream, lengths, job.count);
  result.run.difference = checker.difference();
  return result;
}

}  // namespace

Flow stream_flow() {
  return {.name = "stream", .needs = platform::kStreamNeeds, .through_actors = run_stream, .on_threads = true};
}

StreamRun run_stream(const platform::Description& board, const Job& job) {
  check_words(job.application);
  if (job.grain == Grain::fine || job.states != nullptr || !job.application.extras.steady)
    return all_finely(board, job);
  const Lengths lengths = steady_lengths(board, job.application);
  if (job.count <= lengths.shorter + lengths.longer) return all_finely(board, job);
  const auto result = coarsely(board, job, lengths);
  return result ? *result : all_finely(board, job);
}

}  // namespace isthmus::program
