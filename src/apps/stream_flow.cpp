#include "apps/stream_flow.hpp"

#include <optional>

#include "apps/frames_through.hpp"
#include "apps/images_beside.hpp"
#include "apps/stream_fine.hpp"
#include "apps/stream_steady.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/worker.hpp"

namespace isthmus::apps {
namespace {

Bytes frame_bytes(const FilterJob& job) {
  return {static_cast<std::int64_t>(job.frames.size().bytes())};
}

/// Whose bytes matter to nobody: what they are is asked of another stream.
class Unseen final : public ImageExchange {
 public:
  explicit Unseen(Bytes image) : bytes_(static_cast<std::size_t>(image.count)) {}
  std::span<const std::byte> input(int) override { return bytes_; }
  std::span<std::byte> output(int) override { return bytes_; }
  void finished(int) override { stop_if_interrupted(); }

 private:
  std::vector<std::byte> bytes_;
};

StreamRun all_finely(const platform::Description& board, const FilterJob& job) {
  Checker checker(job.spec, job.frames.size(), job.progress);
  ImagesBeside images(job.frames, checker);
  StreamRun result = stream_finely(board, job, job.frames.count(), images).stream;
  images.compare_rest();
  result.run.difference = checker.difference();
  return result;
}

/// None where the stream does not become steady.
std::optional<StreamRun> coarsely(const platform::Description& board, const FilterJob& job, const Lengths& lengths) {
  Checker checker(job.spec, job.frames.size(), job.progress);
  ImagesBeside images(job.frames, checker);
  FineStream shorter;
  Worker beside;
  beside.add([&] {
    Unseen unseen(frame_bytes(job));
    shorter = stream_finely(board, job, lengths.shorter, unseen);
  });
  const FineStream longer = stream_finely(board, job, lengths.longer, images);
  beside.finish();
  if (!is_steady(longer.received, lengths)) return {};
  send_through_circuit(job, lengths.longer, images);
  images.compare_rest();
  StreamRun result = extend(shorter.stream, longer.stream, lengths, job.frames.count());
  result.run.difference = checker.difference();
  return result;
}

}  // namespace

StreamRun run_stream(const platform::Description& board, const FilterJob& job) {
  if (job.grain == Grain::fine || job.states != nullptr) return all_finely(board, job);
  const Lengths lengths = steady_lengths(board, frame_bytes(job));
  if (job.frames.count() <= lengths.shorter + lengths.longer) return all_finely(board, job);
  const auto result = coarsely(board, job, lengths);
  return result ? *result : all_finely(board, job);
}

}  // namespace isthmus::apps
