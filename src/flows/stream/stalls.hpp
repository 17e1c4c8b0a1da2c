#pragma once

#include <cstdint>

#include "application/faults.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/application/packets.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/stream/chance.hpp"

/// Pauses at either end of a link, for runs that ask for them (Faults::stall).
namespace isthmus::program {

/// Throws Error where a consumer that has received so many messages is to die.
void die_after(const Faults& faults, int messages);

/// The longest pause of a thread of the host, as long as an interrupt or another thread may take its core, and of the
/// kernel's end, some hundred cycles.
inline constexpr Time kHostStall = Time::us(100);
inline constexpr Time kKernelStall = Time::us(1);

/// Makes its actor pause now and then, for any time up to the longest.
class Stalls {
 public:
  Stalls(double probability, Time longest) : probability_(probability), longest_(longest) {}

  void maybe(Timer& timer) {
    if (!happens(random_, probability_)) return;
    const auto most = static_cast<std::uint64_t>(longest_.femtoseconds());
    timer.wait_until(timer.now() + Time::fs(static_cast<std::int64_t>(random_.below(most)) + 1));
    ++count_;
  }
  std::int64_t count() const { return count_; }

 private:
  Random random_;
  double probability_;
  Time longest_;
  std::int64_t count_ = 0;
};

/// Hands on what comes, and pauses.
template <class T>
class StallingEnd {
 public:
  In<T> in{"in"};
  Out<T> out{"out"};

  explicit StallingEnd(double probability) : stalls_(probability, kKernelStall) {}
  void step() {
    const T token = in.read();
    stalls_.maybe(timer_);
    out.push(token);
  }
  bool done() const { return false; }

  std::int64_t stalled() const { return stalls_.count(); }

 private:
  Timer timer_;
  Stalls stalls_;
};

/// The kernel's ends of a link of words, both of which pause. Without a probability nothing is added, and they are as
/// they were.
class StallingWords {
 public:
  StallingWords(Graph& graph, const Clock& clock, double probability, KernelEnds& ends);
  std::int64_t stalled() const;

 private:
  StallingEnd<StreamWord>* words_ = nullptr;
  StallingEnd<StreamWord>* results_ = nullptr;
};

/// The same of a network.
class StallingNetwork final : public NetworkEnds {
 public:
  StallingNetwork(Graph& graph, const Clock& clock, double probability, NetworkEnds& network)
      : graph_(graph), clock_(clock), probability_(probability), network_(network) {}
  void connect(In<NetPacket>& packets) override;
  void connect(Out<NetPacket>& packets, int latency) override;
  std::int64_t stalled() const;

 private:
  Graph& graph_;
  Clock clock_;
  double probability_;
  NetworkEnds& network_;
  StallingEnd<NetPacket>* from_ = nullptr;
  StallingEnd<NetPacket>* to_ = nullptr;
};

}  // namespace isthmus::program
