#include "flows/offload/at_once.hpp"

#include <array>
#include <vector>

#include "flows/offload/between_copies.hpp"
#include "flows/offload/run_on_device.hpp"
#include "flows/stream/paced.hpp"

namespace isthmus::program {
namespace {

/// Two messages have buffers; after some more the copies' way through the rows of memory is that of all later ones.
constexpr Lengths kLengths{.shorter = 12, .longer = 44};

/// Messages that are drawn, and outputs that nobody looks at. Of more than two messages none is under way.
class UnseenMessages final : public Exchange {
 public:
  explicit UnseenMessages(const ByteApplication& application) : application_(application) {
    for (auto& message : in_) message.resize(application.input);
    for (auto& message : out_) message.resize(application.output);
  }

  std::span<const std::byte> input(int message) override {
    std::vector<std::byte>& in = in_.at(slot(message));
    application_.fill(message, in);
    return in;
  }
  std::span<std::byte> output(int message) override { return out_.at(slot(message)); }
  void finished(int) override {}

 private:
  static constexpr std::size_t kSlots = 4;
  static std::size_t slot(int message) { return static_cast<std::size_t>(message) % kSlots; }

  const ByteApplication& application_;
  std::array<std::vector<std::byte>, kSlots> in_;
  std::array<std::vector<std::byte>, kSlots> out_;
};

class MessagesOnDevice {
 public:
  MessagesOnDevice(const platform::Description& board, const std::string& channel, const Flow& flow, const Job& job)
      : board_(board), channel_(channel), flow_(flow), job_(job) {}

  FineStream finely(int count, Exchange& messages) const {
    const auto device = open_device(board_, channel_, job_, Grain::fine);
    const auto [flow, setup] = set_up(*device, flow_, job_);
    FineStream fine;
    BoardRun& stream = fine.stream;
    stream.run.setup = setup;
    stream.run.times = flow->run(messages, 0, count);
    stream.run.times.lasted = device->last_run();
    stream.parts = device->parts();
    stream.path = device->path();
    const std::size_t each = stream.run.times.launches.size() / static_cast<std::size_t>(count);
    for (std::size_t i = each; i <= stream.run.times.launches.size(); i += each)
      fine.received.push_back(stream.run.times.launches[i - 1]);
    return fine;
  }

  void one_by_one(int first, Exchange& messages) const {
    const auto device = open_device(board_, channel_, job_, Grain::coarse);
    offload_flow().between_copies(*device, job_.application)->run(messages, first, job_.count - first);
  }

 private:
  const platform::Description& board_;
  const std::string& channel_;
  const Flow& flow_;
  const Job& job_;
};

}  // namespace

std::unique_ptr<offload::ModelDevice> open_device(const platform::Description& board, const std::string& channel,
                                                  const Job& job, Grain grain) {
  auto device =
      offload::open_model(board, {device_kernel_of(job.application).twin}, {.channel = channel, .grain = grain});
  device->observe(job.states);
  device->shuffle(job.schedule_seed);
  return device;
}

BoardRun run_at_once(const platform::Description& board, const std::string& channel, const Flow& flow, const Job& job) {
  const MessagesOnDevice device(board, channel, flow, job);
  return run_paced(job, kLengths,
                   {.run = [&](int count, MessagesBeside& messages) { return device.finely(count, messages); },
                    .run_unseen =
                        [&](int count) {
                          UnseenMessages messages(job.application);
                          return device.finely(count, messages);
                        },
                    .steady =
                        [](const FineStream& longer) {
                          return is_steady(longer.received, kLengths) &&
                                 keeps_up(longer.stream.run.times.latencies, longer.received, kLengths);
                        },
                    .rest = [&](int first, MessagesBeside& messages) { device.one_by_one(first, messages); }});
}

}  // namespace isthmus::program
