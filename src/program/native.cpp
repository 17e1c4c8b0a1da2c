#include "isthmus/stream/native.hpp"

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/stream/native_link.hpp"
#include "program/host.hpp"
#include "program/parts.hpp"

namespace isthmus::program {
namespace {

/// What the outputs of a batch, which wait until they are compared, may take of the memory, and how many they may be.
constexpr std::size_t kBatchBytes = std::size_t{64} << 20U;
constexpr std::size_t kBatchMessages = 1024;

int batch_size(const ByteApplication& application) {
  return static_cast<int>(std::clamp<std::size_t>(kBatchBytes / application.output, 1, kBatchMessages));
}

/// One word more than a message: an output that is too long is seen, not split.
native::LinkSpec link_spec(const Batch& batch) {
  const std::size_t most = std::max(batch.application.input, batch.application.output);
  return {.buffer_size = Bytes{static_cast<std::int64_t>(most) + kWordBytes},
          .input_buffers = 8,
          .output_buffers = batch.count + 1};
}

/// Throws Error where an output has not come back. A thread that Ctrl-C stops fails the run: what counts is why.
native::Report run_graph(Graph& graph, const Job& job, Consumer& consumer) {
  native::Report report = native::run(
      graph, {.workers = job.workers, .placement = job.placement, .throw_on_error = false, .silence = job.silence});
  if (report.outcome != Outcome::finished) stop_if_interrupted();
  if (report.outcome == Outcome::failed) throw Error(report.message);
  consumer.require_all(report.outcome == Outcome::finished ? kOutputEnded : report.message);
  return report;
}

void run_batch(const Batch& batch, Checker& checker, const Job& job, Result& result) {
  Graph graph;
  native::Link link(graph, link_spec(batch));
  auto& producer = graph.add<Producer>(kProducer, {}, link.memory(), Time(), batch);
  auto& consumer = graph.add<Consumer>(kConsumer, {}, link.memory(), Time(), batch, checker, true);
  link.connect(producer.link);
  link.connect(consumer.link);
  Kernel kernel(graph, Clock{Frequency::mhz(1)}, link.to_kernel(), link.from_kernel());
  batch.application.kernel(kernel);
  const native::Report report = run_graph(graph, job, consumer);
  result.setup += producer.started();
  result.elapsed += consumer.ended() - producer.started();
  result.workers = report.workers;
}

}  // namespace

Result run_native(const ByteApplication& application, const Job& job) {
  check(application);
  Checker checker(application, job.progress);
  Result result;
  for (int first = 0; first < job.messages; first += batch_size(application)) {
    const Batch batch{
        .application = application, .first = first, .count = std::min(batch_size(application), job.messages - first)};
    run_batch(batch, checker, job, result);
  }
  result.stages = {{"producer, kernel and consumer at once", result.elapsed}};
  result.difference = checker.difference();
  return result;
}

}  // namespace isthmus::program
