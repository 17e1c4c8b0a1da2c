#include <fmt/format.h>

#include <algorithm>

#include "apps/images_beside.hpp"
#include "isthmus/apps/target.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::apps {
namespace {

/// Host memory for some images and their outputs, used in turn.
class Slots final : public ImageExchange {
 public:
  Slots(const FrameSource& frames, Checker& checker, int count)
      : frames_(frames), checker_(checker), in_(static_cast<std::size_t>(count)), out_(in_.size()) {
    for (auto& image : in_) image.resize(frames.size().bytes());
    for (auto& image : out_) image.resize(frames.size().bytes());
  }

  void produce(int image) { frames_.fill(image, in_[slot(image)]); }
  void check(int image) {
    stop_if_interrupted();
    checker_.check(image, in_[slot(image)], out_[slot(image)]);
  }

  std::span<const std::byte> input(int image) override { return in_[slot(image)]; }
  std::span<std::byte> output(int image) override { return out_[slot(image)]; }
  void finished(int) override {}

 private:
  std::size_t slot(int image) const { return static_cast<std::size_t>(image) % in_.size(); }

  const FrameSource& frames_;
  Checker& checker_;
  std::vector<std::vector<std::byte>> in_;
  std::vector<std::vector<std::byte>> out_;
};

/// What the images of a batch and their outputs may take of the host's memory.
constexpr std::size_t kBatchBytes = std::size_t{1} << 30;

void add(FlowTimes& sum, const FlowTimes& part) {
  sum.elapsed += part.elapsed;
  if (sum.stages.empty()) {
    sum.stages = part.stages;
    sum.images = part.images;
    return;
  }
  for (std::size_t i = 0; i < sum.stages.size(); ++i) sum.stages[i].time += part.stages[i].time;
}

FlowTimes run_in_batches(ImageFlow& flow, const FrameSource& frames, Checker& checker) {
  const auto most = static_cast<int>(std::max<std::size_t>(1, kBatchBytes / (2 * frames.size().bytes())));
  const int batches = (frames.count() + most - 1) / most;
  const int size = (frames.count() + batches - 1) / batches;
  Slots slots(frames, checker, size);
  FlowTimes times;
  for (int first = 0; first < frames.count(); first += size) {
    const int count = std::min(size, frames.count() - first);
    for (int image = first; image < first + count; ++image) slots.produce(image);
    add(times, flow.run(slots, first, count));
    for (int image = first; image < first + count; ++image) slots.check(image);
  }
  return times;
}

std::unique_ptr<ImageFlow> make_flow(offload::Device& device, const FilterJob& job) {
  if (job.flow == "offload") return make_offload_flow(device, job.spec, job.frames.size());
  if (job.flow == "overlap") return make_overlap_flow(device, job.spec, job.frames.size());
  throw Error(fmt::format("device '{}' has no flow '{}': expected offload or overlap", device.info().name, job.flow));
}

}  // namespace

FilterRun run_on_device(offload::Device& device, const FilterJob& job) {
  const Time before = device.clock();
  const auto flow = make_flow(device, job);
  FilterRun run;
  run.setup = device.info().opening + (device.clock() - before);
  Checker checker(job.spec, job.frames.size(), job.progress);
  if (device.info().modelled) {
    ImagesBeside images(job.frames, checker);
    run.times = flow->run(images, 0, job.frames.count());
    images.compare_rest();
  } else {
    run.times = run_in_batches(*flow, job.frames, checker);
  }
  run.difference = checker.difference();
  return run;
}

}  // namespace isthmus::apps
