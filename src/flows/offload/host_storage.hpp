#pragma once

#include <memory>
#include <span>
#include <vector>

#include "application/messages_beside.hpp"
#include "flows/flow.hpp"
#include "flows/stream/storage.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::program {

/// A host that reads an application's messages from a drive, ahead of its host threads, and hands each to one of them:
/// beside a modelled machine, in its graph.
///
/// A thread has the messages of its number modulo the threads, and room for two: the drive goes on with the next while
/// it works on one.
class HostStorage final : public offload::Surroundings, public Exchange {
 public:
  HostStorage(const platform::Description& board, offload::ModelDevice& device, const Job& job, MessagesBeside& beside);

  std::span<const std::byte> input(int message) override { return room(message); }
  std::span<std::byte> output(int message) override { return beside_.output(message); }
  void finished(int message) override { beside_.finished(message); }
  void begin(int message) override;
  void end(int message) override;

  void build(Graph& graph, std::span<const offload::HostThreadEnds> threads) override;
  std::vector<platform::PartPlan> parts() const override { return input_->parts(); }
  void ended(const RunReport&) override {}

 private:
  std::span<std::byte> room(int message) { return rooms_[static_cast<std::size_t>(message) % rooms_.size()]; }

  offload::ModelDevice& device_;
  fabric::StorageSpec spec_;
  Batch batch_;
  MessagesBeside& beside_;
  std::vector<std::vector<std::byte>> rooms_;  ///< one a message under way; only the holder of its number touches it
  std::unique_ptr<StoredInput> input_;
};

/// Runs a job whose messages the host reads from a board's drive and copies to the device.
Run run_stored_through_host(const platform::Description& board, offload::ModelDevice& device, const Flow& flow,
                            const Job& job);

}  // namespace isthmus::program
