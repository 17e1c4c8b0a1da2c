// The same double-buffered: device buffers for two messages; one host thread copies in and launches, another copies
// out, so that both directions and the kernel go on at once (stacc table IV: the maximum of the three).
#include <fmt/format.h>

#include <utility>

#include "flows/offload/between_copies.hpp"
#include "flows/offload/commands.hpp"
#include "flows/offload/kernel_on_device.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

using offload::Device;
using offload::Event;

class OverlapFlow final : public DeviceFlow {
 public:
  OverlapFlow(Device& device, const ByteApplication& application)
      : device_(device),
        kernel_(device, alone(application), kAtOnce),
        host_work_(application.extras.host_work),
        writes_(device.queue()),
        kernels_(device.queue()),
        reads_(device.queue()) {}

  FlowTimes run(Exchange& messages, int first, int count) override {
    Passage passage{.messages = messages,
                    .first = first,
                    .count = count,
                    .launched = device_.mailbox(kAtOnce),
                    .fetched = device_.mailbox(kAtOnce)};
    device_.align_clocks();
    device_.run({{"copy in", [&] { copy_in(passage); }}, {"copy out", [&] { copy_out(passage); }}});
    return times_of(passage.commands);
  }

 private:
  static constexpr int kAtOnce = 2;

  /// Throws Error where host threads are to share the device.
  static const ByteApplication& alone(const ByteApplication& application) {
    if (application.extras.host_threads == 1) return application;
    throw Error(
        fmt::format("host_threads: expected 1 in the flow overlap, one that copies in and one that copies out, got {}",
                    application.extras.host_threads));
  }

  /// One run: mailboxes of its own, because one that failed may leave events behind.
  struct Passage {
    Exchange& messages;
    int first;
    int count;
    std::unique_ptr<offload::Mailbox> launched;  ///< kernels whose output is to be fetched
    std::unique_ptr<offload::Mailbox> fetched;   ///< copies out that set an output buffer free
    Commands commands{};
  };

  void copy_in(Passage& passage) {
    auto& kernels = passage.commands.kernel;
    for (int message = passage.first; message < passage.first + passage.count; ++message) {
      stop_if_interrupted();
      device_.works_on(message);
      passage.messages.begin(message);
      passage.commands.enqueued.push_back(device_.now());
      device_.work(host_work_);
      const bool reuses = message >= passage.first + kAtOnce;
      offload::Events input_free;
      if (reuses) input_free.push_back((kernels.end() - kAtOnce)->back());
      auto ready = kernel_.write(*writes_, message, passage.messages.input(message), std::move(input_free));
      passage.commands.in.push_back(ready);
      if (reuses) ready.push_back(passage.fetched->take());
      kernels.push_back(kernel_.launch(*kernels_, message, std::move(ready)));
      passage.launched->put(kernels.back().back());
    }
  }

  void copy_out(Passage& passage) {
    for (int message = passage.first; message < passage.first + passage.count; ++message) {
      const Event kernel = passage.launched->take();
      device_.works_on(message);
      auto& copies = passage.commands.out;
      copies.push_back(kernel_.read(*reads_, message, passage.messages.output(message), {kernel}));
      passage.commands.ended.push_back(device_.now());
      passage.messages.end(message);
      // If a message has no output, the kernel's end sets its buffers free.
      const Event& free = copies.back().empty() ? kernel : copies.back().back();
      if (message + kAtOnce < passage.first + passage.count) passage.fetched->put(free);
    }
  }

  Device& device_;
  KernelOnDevice kernel_;
  Time host_work_;  ///< time that the host computes for a message
  std::unique_ptr<offload::Queue> writes_;
  std::unique_ptr<offload::Queue> kernels_;
  std::unique_ptr<offload::Queue> reads_;
};

}  // namespace

Flow overlap_flow() {
  return {.name = "overlap",
          .between_copies = [](Device& device, const ByteApplication& application) -> std::unique_ptr<DeviceFlow> {
            return std::make_unique<OverlapFlow>(device, application);
          },
          .words = {.needs = kBetweenCopies},
          .at_once = true};
}

}  // namespace isthmus::program
