#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "application/checker.hpp"
#include "application/run.hpp"
#include "application/share.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/stalls.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/stream/host_buffers.hpp"

/// The host's threads of a stream: one fills messages, the other takes the outputs.
namespace isthmus::program {

/// Messages of an application in one graph.
struct Batch {
  const ByteApplication& application;
  int first;
  int count;
  Faults faults{};         ///< faults of the host threads
  Share* share = nullptr;  ///< of them, where links share them

  /// Begins with the i-th message of this link; false where there is none.
  bool begin(int i) const { return share != nullptr ? share->take() : i < count; }
  /// The number of the i-th message of this link, once it has begun.
  int message(int i) const { return first + (share != nullptr ? share->number(i) : i); }
  /// Whether this link has no more than the first `i` messages.
  bool ends_after(int i) const { return share != nullptr ? share->ended() && share->taken() == i : i == count; }
};

/// The times at which messages were sent, by any thread.
struct Sent {
  Time started;                     ///< time of the first acquire, or of the first read
  std::span<const Time> begun;      ///< time at which each message began
  std::span<const Time> committed;  ///< times at which the first messages were committed, if they are sent in buffers
};

/// Fills buffers message by message; one that is larger than a buffer takes as many as it needs, and the next begins in
/// a buffer of its own. What is drawn costs no virtual time, the calls do.
class Producer {
 public:
  HostInput link;

  /// `call` is the time of each of the library's.
  Producer(PinnedMemory& memory, Time call, const Batch& batch)
      : link(memory, call), batch_(batch), stalls_(batch.faults.stall, kHostStall) {}
  void step();
  bool done() const { return batch_.ends_after(next()); }

  /// The first acquire.
  Time started() const { return started_; }
  /// The time at which the first buffer of each message was there to be filled.
  const std::vector<Time>& acquired() const { return acquired_; }
  /// The time at which the last buffer of each of the first messages was on its way.
  const std::vector<Time>& committed() const { return committed_; }
  Sent sent() const { return {.started = started_, .begun = acquired_, .committed = committed_}; }
  std::int64_t stalled() const { return stalls_.count(); }

 protected:
  int next() const { return static_cast<int>(acquired_.size()); }
  const Batch& batch() const { return batch_; }

 private:
  Buffer acquire();
  void send_in_pieces(int message, Buffer buffer);

  const Batch& batch_;
  std::vector<std::byte> message_;  ///< message that is larger than a buffer
  Time started_;
  std::vector<Time> acquired_;
  std::vector<Time> committed_;
  Timer timer_;
  Stalls stalls_;
};

/// Tells the kernel what it must know before the first word.
class ConfiguringProducer : public Producer {
 public:
  HostControl control;

  ConfiguringProducer(PinnedMemory& memory, Time call, const Batch& batch, Time store)
      : Producer(memory, call, batch), control(store) {}
  void step();
};

/// Why an output does not come back when all parts of a run have ended.
inline constexpr const char* kOutputEnded = "its output has ended";

/// The place of outputs, in their order.
class Outputs {
 public:
  virtual ~Outputs() = default;
  /// A buffer with what begins at byte `offset` of the output.
  virtual void take(int message, std::size_t offset, Buffer buffer) = 0;
  virtual void finished(int message) = 0;
};

/// Copies them to where an exchange wants them.
class CopiedOut final : public Outputs {
 public:
  /// If outputs may be shorter, the rest is filled with zeros.
  CopiedOut(const ByteApplication& application, Exchange& exchange) : application_(application), exchange_(exchange) {}
  void take(int message, std::size_t offset, Buffer buffer) override;
  void finished(int message) override { exchange_.finished(message); }

 private:
  const ByteApplication& application_;
  Exchange& exchange_;
};

/// Drops outputs, whose bytes another stream gives.
class Dropped final : public Outputs {
 public:
  void take(int, std::size_t, Buffer) override {}
  void finished(int) override {}
};

/// Keeps them, each in one buffer, for who compares them when the run is over.
class Kept final : public Outputs {
 public:
  void take(int, std::size_t, Buffer buffer) override { outputs_.push_back(std::move(buffer)); }
  void finished(int) override {}
  const std::vector<Buffer>& outputs() const { return outputs_; }

 private:
  std::vector<Buffer> outputs_;
};

/// Receives outputs.
class Consumer {
 public:
  HostOutput link;

  /// `buffer` is the room of each of the link's.
  Consumer(PinnedMemory& memory, Time call, const Batch& batch, Bytes buffer, Outputs& outputs)
      : link(memory, call),
        batch_(batch),
        buffer_(static_cast<std::size_t>(buffer.count)),
        outputs_(outputs),
        stalls_(batch.faults.stall, kHostStall) {}
  /// Throws Error where an output has another size than expected, and where the thread is to die.
  void step();
  bool done() const { return batch_.ends_after(next()); }

  /// The time at which the last bytes of each output were there.
  const std::vector<Time>& received() const { return received_; }
  /// Throws Error where an output has not come back, because of `why`.
  void require_all(const std::string& why) const;
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  int next() const { return static_cast<int>(received_.size()); }
  /// What may come in a buffer where so much of an output has come; throws Error where it is not `bytes`.
  void require(std::size_t got, std::size_t bytes) const;

  const Batch& batch_;
  std::size_t buffer_;
  Outputs& outputs_;
  std::vector<Time> received_;
  Timer timer_;
  Stalls stalls_;
};

/// What the host's threads saw of the messages of a batch.
struct Seen {
  Sent sent;
  std::span<const Time> received;  ///< times at which the last bytes of each output were there
  std::span<const int> numbers{};  ///< the messages' numbers in the batch, where several pairs of threads share it
};

/// The time of the first acquire, or read, of all of them.
Time started(std::span<const Seen> pairs);

/// Their times: elapsed time, latencies, and the first messages step by step. The rest is told by who ran them.
FlowTimes times_of(std::span<const Seen> pairs);

/// Adds the host's thread that fills messages, and ties it and the kernel's control messages to a link. Without any,
/// `leave_out` is told to close what the link has for them.
template <class Link, class LeaveOut>
Producer& add_producer(Graph& graph, const std::string& name, Link& link, PinnedMemory& memory, Time call, Time store,
                       const Batch& batch, const LeaveOut& leave_out) {
  const ActorOptions options{.group = kHostGroup};
  if (!has_control(batch.application)) {
    auto& producer = graph.add<Producer>(name, options, memory, call, batch);
    link.connect(producer.link);
    leave_out();
    return producer;
  }
  auto& producer = graph.add<ConfiguringProducer>(name, options, memory, call, batch, store);
  link.connect(producer.link);
  link.connect(producer.control);
  return producer;
}

/// The ends of a link's control messages.
template <class Link>
void add_control(KernelEnds& ends, Link& link) {
  ends.control = &link.control_to_kernel();
  ends.status = &link.control_from_kernel();
}

/// The ends of a link that the kernel of an application is tied to, whose words are `stored` where there are some.
template <class Link>
KernelEnds ends_of(Link& link, const ByteApplication& application, Out<StreamWord>* stored = nullptr) {
  KernelEnds ends{.results = &link.from_kernel(), .stored = stored != nullptr};
  ends.words = ends.stored ? stored : &link.to_kernel();
  if (has_control(application)) add_control(ends, link);
  return ends;
}

}  // namespace isthmus::program
