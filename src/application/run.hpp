#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "application/faults.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/engine/state.hpp"
#include "isthmus/platform/grain.hpp"

/// The request and the result of a run, whatever the target.
namespace isthmus::program {

using platform::Grain;

/// An application over a number of messages, in one flow.
struct Job {
  const ByteApplication& application;
  std::string flow;
  int count = 1;  ///< messages
  /// Called with the number of messages whose output has been compared with the reference, by the thread that compares.
  std::function<void(int)> progress{};
  /// Tells the user something.
  std::function<void(const std::string&)> note{};
  /// Is told how the parts of a model spend the run; none if it is not wanted. Real devices have nothing to tell.
  StateObserver* states = nullptr;
  int workers = 0;                         ///< threads of the target native; 0: as many as fit
  std::map<std::string, int> placement{};  ///< worker of each named actor; others are placed along the channels
  int units = 0;                           ///< copies of the kernel on threads; 0: see units_of
  std::uint64_t schedule_seed = 0;         ///< order of actors on a model, see RunOptions; no result depends on it
  Grain grain = Grain::fine;               ///< grain of a model: the coarsest that may be used
  std::string channel{};  ///< channel of the circuit's lines with shared memory; empty: the coherent channel
  /// Seconds after which threads that move no token, but are in no long step either, are said to be dead.
  double silence = 10;
  std::uint64_t seed = 1;  ///< seed of the random numbers of a run
  Faults faults{};
  soc::Choice choice{};
};

/// The time that the commands of one kind took, added up over the messages, or how long a part of a model was at work.
struct Stage {
  std::string name;
  Time time;
};

/// Something that one message went through; times count from the start of the flow.
struct Step {
  std::string name;
  Time begin;
  Time end;
};

/// The first messages of a run are told step by step: enough to see how they follow each other.
inline constexpr int kMessagesTold = 8;

struct FlowTimes {
  Time elapsed;                            ///< from the first acquire or enqueue to the last output
  std::vector<Stage> stages{};             ///< stages in the order of the flow; they may overlap
  std::vector<std::vector<Step>> first{};  ///< steps of the first messages, in their order
  std::vector<Time> latencies{};           ///< latency of each message, from its acquire or first enqueue to its output
  /// The end of each launch of each message, from the start of the flow; an iteration, if the application iterates.
  std::vector<Time> launches{};
  /// While at least one kernel computed, between copies to and from the device's memory.
  std::optional<Time> computing{};
  Time lasted{};  ///< time of the whole run, which the shares of a model's stages refer to
};

/// The times of messages and of those that follow them.
void add(FlowTimes& sum, const FlowTimes& more);

/// The result of packets of a network.
struct PacketTally {
  int sent = 0;
  int received = 0;
  int lost = 0;
  int reordered = 0;  ///< packets that came after a later one
  int corrupted = 0;  ///< packets whose check sequence was made wrong, so that they were to be lost
  double cores = 0;   ///< mean number of host cores at work

  bool whole() const { return lost == corrupted && reordered == 0; }
};

struct Run {
  Time setup{};  ///< opening the device, building the kernel, allocating buffers and pools
  FlowTimes times{};
  std::optional<Difference> difference{};  ///< none if every byte of every message is right
  std::optional<PacketTally> packets{};    ///< tally of packets, if messages are packets
  std::optional<FaultTally> faults{};      ///< tally of faults, if some were injected

  bool right() const { return !difference && (!packets || packets->whole()); }
};

/// Throws Error where an application has none.
const DeviceKernel& device_kernel_of(const ByteApplication& application);
const Packets& packets_of(const ByteApplication& application);

/// Throws Error where a stream cannot carry the messages: they are not a multiple of 64 bytes, or none.
void check_words(const ByteApplication& application);

}  // namespace isthmus::program
