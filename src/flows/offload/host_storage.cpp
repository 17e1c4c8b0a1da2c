#include "flows/offload/host_storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "application/unclocked.hpp"
#include "flows/offload/surrounded.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::program {
namespace {

/// Messages that a thread has room for.
constexpr std::size_t kRooms = 2;

/// Receives the data of the drive: puts them into the rooms of messages and tells threads of those that are whole.
class Arrivals {
 public:
  In<fabric::StoragePiece> in{"in"};
  PortArray<Out<std::int64_t>> read;
  PortArray<In<std::int64_t>> left;

  Arrivals(std::size_t threads, std::span<std::vector<std::byte>> rooms)
      : read(threads, "read"), left(threads, "left"), rooms_(rooms) {}

  void step() {
    const fabric::StoragePiece& piece = in.read_in_place();
    const auto thread = static_cast<std::size_t>(message_) % read.size();
    if (at_ == 0 && message_ >= static_cast<std::int64_t>(rooms_.size())) left[thread].read();
    std::vector<std::byte>& room = rooms_[static_cast<std::size_t>(message_) % rooms_.size()];
    std::copy_n(piece.data.begin(), piece.bytes, room.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += piece.bytes;
    if (at_ < room.size()) return;
    at_ = 0;
    read[thread].push(message_++);
  }

 private:
  std::span<std::vector<std::byte>> rooms_;
  std::int64_t message_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

HostStorage::HostStorage(const platform::Description& board, offload::ModelDevice& device, const Job& job,
                         MessagesBeside& beside)
    : device_(device),
      spec_(platform::kinds::storage_spec(board.the("storage"))),
      batch_{.application = job.application, .first = 0, .count = job.count},
      beside_(beside) {
  rooms_.resize(kRooms * static_cast<std::size_t>(job.application.extras.host_threads));
  for (auto& room : rooms_) room.resize(job.application.input);
}

void HostStorage::begin(int message) {
  if (device_.hear() != message)
    throw Error(fmt::format("message {}: expected it from the storage at its turn, got another", message));
}

void HostStorage::end(int message) {
  finished(message);
  device_.tell(message);
}

void HostStorage::build(Graph& graph, std::span<const offload::HostThreadEnds> threads) {
  auto& arrivals = graph.add<Arrivals>("storage arrivals", {.group = kHostGroup}, threads.size(), std::span(rooms_));
  input_ = std::make_unique<StoredInput>(graph, spec_, batch_, StoredInput::Reader{.options = {.group = kHostGroup}},
                                         arrivals.in);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    graph.connect(arrivals.read[i], threads[i].told, unclocked(kRooms + 1));
    graph.connect(threads[i].tells, arrivals.left[i], unclocked(kRooms + 1));
  }
}

Run run_stored_through_host(const platform::Description& board, offload::ModelDevice& device, const Flow& flow,
                            const Job& job) {
  Checker checker(job.application, job.progress);
  MessagesBeside beside(job.application, checker);
  HostStorage storage(board, device, job, beside);
  Run run = run_surrounded(device, flow, job, storage, storage);
  beside.compare_rest();
  run.difference = checker.difference();
  return run;
}

}  // namespace isthmus::program
