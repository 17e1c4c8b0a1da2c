#pragma once

#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/storage.hpp"
#include "isthmus/platform/part.hpp"
#include "program/host.hpp"

/// Messages of an application that lie on a drive, one behind the other, in the place of a producer's.
namespace isthmus::program {

/// A modelled drive that is read from its beginning, in a graph.
class StoredInput {
 public:
  /// `reader` says where commands are submitted: on the board or by the host's driver. Data go to `arriving`.
  StoredInput(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const ActorOptions& reader,
              In<fabric::StoragePiece>& arriving);

  ActorId drive() const { return graph_.id(drive_); }
  std::vector<platform::PartPlan> parts() const;
  const std::vector<Time>& begun() const { return reads_.begun(); }

 private:
  Graph& graph_;
  fabric::Drive& drive_;
  fabric::StorageReads& reads_;
};

/// The words of a drive's messages where a board reads it by itself.
class BoardStorage {
 public:
  BoardStorage(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const Clock& clock);

  Out<StreamWord>& words() { return words_.out; }
  Sent sent() const { return {.started = input_.begun().front(), .begun = input_.begun(), .committed = {}}; }
  ActorId drive() const { return input_.drive(); }
  std::vector<platform::PartPlan> parts() const;

 private:
  Graph& graph_;
  fabric::StorageWords& words_;
  StoredInput input_;
};

/// A thread that reads messages from where they lie and hands their words to a kernel.
class NativeStorage {
 public:
  Out<StreamWord> out{"out"};

  explicit NativeStorage(const Batch& batch) : batch_(batch), bytes_(batch.application.input) {}
  void step();
  bool done() const { return batch_.ends_after(next()); }

  Sent sent() const { return {.started = begun_.front(), .begun = begun_, .committed = {}}; }

 private:
  int next() const { return static_cast<int>(begun_.size()); }

  const Batch& batch_;
  std::vector<std::byte> bytes_;
  std::vector<Time> begun_;
  Timer timer_;
};

}  // namespace isthmus::program
