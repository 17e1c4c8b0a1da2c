#include "flows/stream/storage.hpp"

#include <cstring>

#include "application/unclocked.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// Messages as the drive's contents: commands come in their order, so that each message is asked for once.
class DriveContents {
 public:
  explicit DriveContents(const Batch& batch) : batch_(batch), message_(batch.application.input) {}

  void operator()(std::uint64_t first, std::span<std::byte> bytes) {
    const auto number = static_cast<int>(first / message_.size());
    if (number != kept_) batch_.application.fill(batch_.message(number), message_);
    kept_ = number;
    std::memcpy(bytes.data(), message_.data() + first % message_.size(), bytes.size());
  }

 private:
  const Batch& batch_;
  std::vector<std::byte> message_;
  int kept_ = -1;
};

fabric::StoredMessages messages_of(const Batch& batch) {
  return {.bytes = batch.application.input, .count = batch.count};
}

}  // namespace

StoredInput::StoredInput(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const Reader& reader,
                         In<fabric::StoragePiece>& arriving)
    : graph_(graph),
      drive_(graph.add<fabric::Drive>(fabric::kDrive, {.group = kHostGroup}, spec, DriveContents(batch))),
      reads_(
          graph.add<ConfiguredReads>("storage reads", reader.options, spec, messages_of(batch), reader.configurers)) {
  ChannelOptions commands = unclocked(spec.queue_depth);
  commands.latency_time = spec.read_latency;
  graph.connect(reads_.commands, drive_.commands, commands);
  graph.connect(drive_.completed, reads_.completed, unclocked(spec.queue_depth));
  graph.connect(drive_.data, arriving, unclocked(fabric::kStoragePieces));
}

std::vector<platform::PartPlan> StoredInput::parts() const {
  return {{.name = fabric::kStorageQueue,
           .keys = {"storage.queue_depth", "storage.read_size", "storage.read_latency"},
           .occupancies = {{graph_.id(reads_), fabric::kStorageQueue}},
           .counts = "commands"},
          {.name = fabric::kDrive, .keys = {"storage.read_rate"}, .actors = {drive()}}};
}

BoardStorage::BoardStorage(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const Clock& clock)
    : graph_(graph),
      words_(graph.add<fabric::StorageWords>(fabric::kStorageWords, {.clock = clock, .group = kDeviceGroup},
                                             messages_of(batch))),
      input_(graph, spec, batch, {.options = {.group = kDeviceGroup}, .configurers = configurers_of(batch.application)},
             words_.in) {}

std::vector<platform::PartPlan> BoardStorage::parts() const {
  std::vector<platform::PartPlan> parts = input_.parts();
  parts.push_back({.name = fabric::kStorageWords, .keys = {"kernel.clock"}, .actors = {graph_.id(words_)}});
  return parts;
}

void NativeStorage::step() {
  stop_if_interrupted();
  configurers.wait();
  if (!batch_.begin(next())) return;
  const int message = batch_.message(next());
  begun_.push_back(timer_.now());
  batch_.application.fill(message, bytes_);
  for (std::size_t at = 0; at < bytes_.size(); at += kWordBytes) {
    StreamWord& word = out.slot();
    std::memcpy(word.data.bytes.data(), bytes_.data() + at, kWordBytes);
    word.last = at + kWordBytes == bytes_.size();
  }
}

}  // namespace isthmus::program
