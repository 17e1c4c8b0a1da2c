#include "isthmus/apps/image_flows.hpp"

#include <algorithm>
#include <utility>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::apps {
namespace {

using offload::Buffer;
using offload::Call;
using offload::Device;
using offload::Event;
using offload::Host;

/// What one work item of kernels/image_filter.cl computes.
constexpr int kPixelsAnItem = 4;

/// The kernel, its coefficients and as many pairs of image buffers as a flow wants: what every flow sets up.
class FilterOnDevice {
 public:
  FilterOnDevice(Device& device, const FilterSpec& spec, ImageSize size, std::size_t pairs)
      : size_(size), shift_(spec.shift), kernel_(device.kernel("image_filter")) {
    const Bytes image{static_cast<std::int64_t>(size.bytes())};
    for (std::size_t i = 0; i < pairs; ++i) pairs_.emplace_back(device.allocate(image), device.allocate(image));
    const auto table = by_tap(spec);
    const auto bytes = std::as_bytes(std::span(table));
    coefficients_ = device.allocate(Bytes{static_cast<std::int64_t>(bytes.size())});
    const auto queue = device.queue();
    device.run({{"set-up", [&](Host& host) { host.write(*queue, *coefficients_, bytes, Call::blocking); }}});
  }

  Buffer& in(int image) const { return *pair(image).first; }
  Buffer& out(int image) const { return *pair(image).second; }

  offload::Launch launch(int image) const {
    return {.kernel = *kernel_,
            .arguments = {&in(image), &out(image), coefficients_.get(), size_.width, size_.height, shift_},
            .columns = static_cast<std::size_t>((size_.width + kPixelsAnItem - 1) / kPixelsAnItem),
            .rows = static_cast<std::size_t>(size_.height)};
  }

 private:
  using Pair = std::pair<std::unique_ptr<Buffer>, std::unique_ptr<Buffer>>;
  const Pair& pair(int image) const { return pairs_[static_cast<std::size_t>(image) % pairs_.size()]; }

  ImageSize size_;
  std::int32_t shift_;
  std::unique_ptr<offload::Kernel> kernel_;
  std::vector<Pair> pairs_;
  std::unique_ptr<Buffer> coefficients_;
};

/// The commands of one kind that a run enqueued, in order.
struct Commands {
  std::vector<Event> in;
  std::vector<Event> kernel;
  std::vector<Event> out;
};

Time total(const std::vector<Event>& events) {
  Time sum;
  for (const Event& event : events) sum += event->span().length();
  return sum;
}

constexpr const char* kIn = "host to device copy";
constexpr const char* kKernel = "kernel";
constexpr const char* kOut = "device to host copy";

std::vector<Stage> stages_of(const Commands& commands) {
  return {{kIn, total(commands.in)}, {kKernel, total(commands.kernel)}, {kOut, total(commands.out)}};
}

std::vector<std::vector<Step>> first_images(const Commands& commands, Time start) {
  const auto step = [start](const char* name, const Event& event) -> Step {
    const offload::Span span = event->span();
    return {.name = name, .begin = span.start - start, .end = span.end - start};
  };
  std::vector<std::vector<Step>> images;
  for (std::size_t i = 0; i < std::min<std::size_t>(commands.out.size(), kImagesTold); ++i)
    images.push_back({step(kIn, commands.in[i]), step(kKernel, commands.kernel[i]), step(kOut, commands.out[i])});
  return images;
}

class OffloadFlow final : public ImageFlow {
 public:
  OffloadFlow(Device& device, const FilterSpec& spec, ImageSize size)
      : device_(device), filter_(device, spec, size, 1), queue_(device.queue()) {}

  FlowTimes run(ImageExchange& images, int first, int count) override {
    Commands commands;
    Time start;
    Time elapsed;
    device_.run({{"host", [&](Host& host) {
                    start = host.now();
                    send(host, images, first, count, commands);
                    elapsed = host.now() - start;
                  }}});
    FlowTimes times{.elapsed = elapsed, .stages = stages_of(commands), .images = first_images(commands, start)};
    Time between = elapsed;
    for (const Stage& stage : times.stages) between = between - stage.time;
    times.stages.push_back({"between commands", std::max(between, Time())});
    return times;
  }

 private:
  void send(Host& host, ImageExchange& images, int first, int count, Commands& commands) {
    for (int image = first; image < first + count; ++image) {
      stop_if_interrupted();
      host.works_on(image);
      commands.in.push_back(host.write(*queue_, filter_.in(image), images.input(image), Call::blocking));
      commands.kernel.push_back(host.launch(*queue_, filter_.launch(image)));
      commands.out.push_back(host.read(*queue_, filter_.out(image), images.output(image), Call::blocking));
      images.finished(image);
    }
  }

  Device& device_;
  FilterOnDevice filter_;
  std::unique_ptr<offload::Queue> queue_;
};

class OverlapFlow final : public ImageFlow {
 public:
  OverlapFlow(Device& device, const FilterSpec& spec, ImageSize size)
      : device_(device),
        filter_(device, spec, size, kPairs),
        writes_(device.queue()),
        kernels_(device.queue()),
        reads_(device.queue()) {}

  FlowTimes run(ImageExchange& images, int first, int count) override {
    Batch batch{.images = images,
                .first = first,
                .count = count,
                .launched = device_.mailbox(kPairs),
                .fetched = device_.mailbox(kPairs)};
    device_.run({{"copy in", [&](Host& host) { copy_in(host, batch); }},
                 {"copy out", [&](Host& host) { copy_out(host, batch); }}});
    return {.elapsed = batch.end - batch.start,
            .stages = stages_of(batch.commands),
            .images = first_images(batch.commands, batch.start)};
  }

 private:
  static constexpr int kPairs = 2;

  /// One run: mailboxes of its own, because one that failed may leave events behind.
  struct Batch {
    ImageExchange& images;
    int first;
    int count;
    std::unique_ptr<offload::Mailbox> launched;  ///< kernels whose output is to be fetched
    std::unique_ptr<offload::Mailbox> fetched;   ///< copies out that set an output buffer free
    Commands commands{};
    Time start{};
    Time end{};
  };

  void copy_in(Host& host, Batch& batch) {
    batch.start = host.now();
    auto& kernels = batch.commands.kernel;
    for (int image = batch.first; image < batch.first + batch.count; ++image) {
      stop_if_interrupted();
      host.works_on(image);
      const bool reuses = image >= batch.first + kPairs;
      std::vector<Event> input_free;
      if (reuses) input_free.push_back(*(kernels.end() - kPairs));
      std::vector<Event> ready{
          host.write(*writes_, filter_.in(image), batch.images.input(image), Call::blocking, std::move(input_free))};
      batch.commands.in.push_back(ready.front());
      if (reuses) ready.push_back(host.take(*batch.fetched));
      kernels.push_back(host.launch(*kernels_, filter_.launch(image), std::move(ready)));
      host.put(*batch.launched, kernels.back());
    }
  }

  void copy_out(Host& host, Batch& batch) {
    for (int image = batch.first; image < batch.first + batch.count; ++image) {
      const Event kernel = host.take(*batch.launched);
      host.works_on(image);
      auto& copies = batch.commands.out;
      copies.push_back(host.read(*reads_, filter_.out(image), batch.images.output(image), Call::blocking, {kernel}));
      batch.end = host.now();
      batch.images.finished(image);
      if (image + kPairs < batch.first + batch.count) host.put(*batch.fetched, copies.back());
    }
  }

  Device& device_;
  FilterOnDevice filter_;
  std::unique_ptr<offload::Queue> writes_;
  std::unique_ptr<offload::Queue> kernels_;
  std::unique_ptr<offload::Queue> reads_;
};

}  // namespace

std::unique_ptr<ImageFlow> make_offload_flow(Device& device, const FilterSpec& spec, ImageSize size) {
  return std::make_unique<OffloadFlow>(device, spec, size);
}

std::unique_ptr<ImageFlow> make_overlap_flow(Device& device, const FilterSpec& spec, ImageSize size) {
  return std::make_unique<OverlapFlow>(device, spec, size);
}

}  // namespace isthmus::apps
