#pragma once

#include <vector>

#include "flows/stream/configurer.hpp"
#include "flows/stream/host.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/storage.hpp"
#include "isthmus/platform/part.hpp"

/// Messages of an application that lie on a drive, one behind the other, in the place of a producer's.
namespace isthmus::program {

/// Reads of a drive that begin once the kernel knows what it must.
class ConfiguredReads : public fabric::StorageReads {
 public:
  Configurers configurers;

  ConfiguredReads(const fabric::StorageSpec& spec, const fabric::StoredMessages& messages, std::size_t waits_for)
      : StorageReads(spec, messages), configurers(waits_for) {}
  void step() {
    configurers.wait();
    StorageReads::step();
  }
};

/// A modelled drive that is read from its beginning, in a graph.
class StoredInput {
 public:
  /// Who submits commands: on the board or the host's driver, and the number of configurers that it waits for.
  struct Reader {
    ActorOptions options;
    std::size_t configurers = 0;
  };
  /// Data go to `arriving`.
  StoredInput(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const Reader& reader,
              In<fabric::StoragePiece>& arriving);

  ActorId drive() const { return graph_.id(drive_); }
  std::vector<platform::PartPlan> parts() const;
  const std::vector<Time>& begun() const { return reads_.begun(); }
  Configurers& configurers() { return reads_.configurers; }

 private:
  Graph& graph_;
  fabric::Drive& drive_;
  ConfiguredReads& reads_;
};

/// The words of a drive's messages where a board reads it by itself.
class BoardStorage {
 public:
  BoardStorage(Graph& graph, const fabric::StorageSpec& spec, const Batch& batch, const Clock& clock);

  Out<StreamWord>& words() { return words_.out; }
  Configurers& configurers() { return input_.configurers(); }
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
  Configurers configurers;

  explicit NativeStorage(const Batch& batch)
      : configurers(configurers_of(batch.application)), batch_(batch), bytes_(batch.application.input) {}
  void step();
  bool done() const { return batch_.ends_after(next()); }

  /// Of a copy that others left no message, nothing.
  Sent sent() const { return {.started = begun_.empty() ? Time() : begun_.front(), .begun = begun_, .committed = {}}; }

 private:
  int next() const { return static_cast<int>(begun_.size()); }

  const Batch& batch_;
  std::vector<std::byte> bytes_;
  std::vector<Time> begun_;
  Timer timer_;
};

}  // namespace isthmus::program
