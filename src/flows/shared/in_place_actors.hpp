#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "application/run.hpp"
#include "flows/shared/shared_actors.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/offload/datapath.hpp"
#include "isthmus/stream.hpp"

/// The circuit's ends of a datapath that works on messages where they lie.
namespace isthmus::program {

/// The places of the buffers of one message, as a circuit addresses them.
struct MessagePlaces {
  std::vector<std::uint64_t> inputs;
  std::vector<std::uint64_t> outputs;
};

/// The shared data of all actors.
struct InPlaceWork {
  const Job& job;
  Exchange* messages;  ///< null: memory holds zeros, and nobody asks for the output
  fabric::SharedSpace& space;
  const offload::Datapath& path;
  std::vector<MessagePlaces> places{};
  std::vector<std::uint64_t> scratch;
  std::uint64_t status;  ///< address of the status line: number of complete launches, and words that the last one wrote
  std::uint64_t line;    ///< bytes of a line
  std::uint8_t channel;  ///< channel of the circuit's lines
  int launches;          ///< launches of each message
  std::uint64_t regions;  ///< regions that each launch reads at a port
  Time call;              ///< time of the library's call, before its store
  Time store;             ///< time of a store to a register of the circuit

  int all_launches() const { return job.count * launches; }
  /// The circuit's address of a region in a launch, which counts through all messages.
  std::uint64_t address(int launch, const offload::Region& region) const;
};

/// How a reader reads the regions of a port, launch after launch.
ReadPlan regions_of(const InPlaceWork& work, std::size_t port);

/// The circuit: a word of each port at a time, and then as many cycles as the datapath is busy.
struct DatapathActor {
  PortArray<In<StreamWord>> words;
  Out<StreamWord> out{"out"};
  Timer timer;
  std::unique_ptr<offload::Datapath> path;
  Grid clock;
  bool begins = true;
  std::int64_t owed = 0;  ///< additional cycles that the datapath stays busy

  DatapathActor(std::unique_ptr<offload::Datapath> what, const Clock& of)
      : words(what->ports(), "words"), path(std::move(what)), clock(of) {}
  void step();

 private:
  void work(Time from);
  void finish(Time from);
};

/// How a writer writes what the datapath gives.
WritePlan results_of(const InPlaceWork& work);

}  // namespace isthmus::program
