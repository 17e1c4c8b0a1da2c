#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/application/device_memory.hpp"
#include "isthmus/application/host_memory.hpp"
#include "isthmus/application/packets.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::program {

/// The ends of the channels that a kernel is connected to.
struct KernelEnds {
  Out<StreamWord>* words = nullptr;  ///< from the host's link or the storage; null if messages come from a network
  In<StreamWord>* results = nullptr;
  Out<std::uint32_t>* control = nullptr;  ///< null if the host sends no control messages
  In<ControlMessage>* status = nullptr;
  DeviceMemoryEnds* memory = nullptr;  ///< null if the application keeps nothing in the device's memory
  HostMemoryEnds* host = nullptr;      ///< null if the kernel does not reach the host's memory
  NetworkEnds* network = nullptr;      ///< null if messages come from the host
  bool stored = false;                 ///< whether `words` come from the storage
  std::function<void(const std::string& text)> note = {};  ///< tells the user something
};

/// One of the copies of a kernel that work side by side on threads, as the compute units of an FPGA do: it is given
/// each `of`-th message, from the `number`-th on.
struct ComputeUnit {
  int number = 0;
  int of = 1;
};

/// Facts of the target that a kernel may use.
struct KernelPlace {
  Clock clock;
  int onchip_latency = 0;  ///< cycles to read on-chip memory; 0 without a board
  int fifo = 64;           ///< words in front of the kernel, and behind it: one block RAM is wide and deep enough
  ComputeUnit unit{};
};

/// The place on the device's side of a host link where an application puts its actors, the same on threads and on a
/// model. Words of messages come in by `from_host`, or by `from_storage` where they lie on a drive, and leave by
/// `to_host`; `last` closes a message in both directions.
class Kernel {
 public:
  Kernel(Graph& graph, const KernelPlace& place, const KernelEnds& ends) : graph_(graph), place_(place), ends_(ends) {}

  /// Adds an actor on the kernel's clock.
  template <class T, class... Args>
  T& add(const std::string& name, Args&&... args) {
    T& actor = graph_.add<T>(name, {.clock = place_.clock, .group = kDeviceGroup}, std::forward<Args>(args)...);
    actors_.push_back(graph_.id(actor));
    return actor;
  }

  /// A channel between two of the kernel's actors.
  template <class T>
  void connect(Out<T>& from, In<T>& to, const ChannelOptions& options = {}) {
    graph_.connect(from, to, options);
  }

  /// The actor that reads the messages.
  void from_host(In<StreamWord>& in);
  /// The actor that reads the messages of an application whose messages lie on a drive.
  void from_storage(In<StreamWord>& in);
  /// The actor that writes the results, `latency` cycles after its step: the depth of its pipeline.
  void to_host(Out<StreamWord>& out, int latency = 1);
  /// An actor that takes the packets of a network beat by beat, and one that sends some there, of an application whose
  /// messages are packets. Where several take some, each packet goes to one of them, in turn; several that send have
  /// their turns packet by packet, so that none waits for more than one of each of the others.
  void from_network(In<NetPacket>& in) { network().connect(in); }
  void to_network(Out<NetPacket>& out, int latency = 1) { network().connect(out, latency); }
  /// The actor that reads the host's control messages, of an application that has some, and answers them.
  void control(In<std::uint32_t>& in, Out<ControlMessage>& out);

  /// The address of the application's image in the device's memory.
  std::uint64_t memory_image() const { return memory().image(); }
  /// The actor that reads the device's memory, and one that writes it. Each has a way of its own there, on which its
  /// requests stay in order; a read may pass the write of another actor.
  void reads_memory(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) {
    memory().connect(master, requests, words);
  }
  void writes_memory(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) {
    memory().connect(master, requests, words);
  }
  /// The number of reads of words at random places that must be under way for the memory to be what limits them, from
  /// its latency and its rate; the user is told.
  int reads_to_cover_memory() const;

  /// The address of the application's image in the host's memory.
  std::uint64_t host_image() const { return host().image(); }
  /// The actor that reads the host's memory over the link, and one that writes it. They and the messages share the link
  /// fairly, a request of stream.request_size at a time; the requests of each stay in order. A read may pass a write of
  /// another actor that has not been told of as `written`.
  void reads_host(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) {
    host().connect(master, requests, words);
  }
  void writes_host(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
                   In<PcieWriteDone>& written) {
    host().connect(master, requests, words, written);
  }
  /// One that does not ask when its words are on their way.
  void writes_host(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words);
  /// The number of reads of stream.request_size that must be under way for the link to be what limits them, from its
  /// rate and its round trip; the user is told.
  int requests_to_cover_link() const;

  int onchip_latency() const { return place_.onchip_latency; }
  /// Which of its copies this one is, if the application says that there may be several (Extras::independent).
  const ComputeUnit& unit() const { return place_.unit; }
  /// The clock of the actors; on threads there is none.
  const Clock& clock() const { return place_.clock; }

  /// The actors, in the order in which they were added.
  const std::vector<ActorId>& actors() const { return actors_; }

 private:
  /// Throws Error where the application keeps nothing there.
  DeviceMemoryEnds& memory() const;
  HostMemoryEnds& host() const;
  NetworkEnds& network() const;
  /// Threads have no clock; their channels need a time, which means nothing there.
  static ChannelOptions fifo(int depth, int latency = 1) {
    return {.depth = depth, .latency = latency, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
  }

  Graph& graph_;
  KernelPlace place_;
  KernelEnds ends_;
  std::vector<ActorId> actors_;
};

}  // namespace isthmus::program
