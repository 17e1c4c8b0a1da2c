#pragma once

#include <vector>

#include "isthmus/stream/host_buffers.hpp"
#include "program/run.hpp"

/// The host's threads of an application: one fills messages, the other takes the outputs.
namespace isthmus::program {

/// Messages first .. first + count - 1 of an application, in one graph.
struct Batch {
  const ByteApplication& application;
  int first;
  int count;
};

class Producer {
 public:
  HostInput link;

  Producer(PinnedMemory& memory, Time call, const Batch& batch) : link(memory, call), batch_(batch) {}
  void step();
  bool done() const { return next_ == batch_.count; }

  /// The first acquire.
  Time started() const { return started_; }

 private:
  const Batch& batch_;
  int next_ = 0;
  Time started_;
  Timer timer_;
};

/// Why an output does not come back when all parts of a run have ended.
inline constexpr const char* kOutputEnded = "its output has ended";

/// Compares outputs with the reference, byte for byte.
class Checker {
 public:
  Checker(const ByteApplication& application, const std::function<void(int)>& progress);
  void check(int message, std::span<const std::byte> output);
  std::optional<Difference> difference() const { return differences_.found(); }

 private:
  const ByteApplication& application_;
  const std::function<void(int)>& progress_;
  std::vector<std::byte> input_;
  std::vector<std::byte> expected_;
  Differences differences_;
};

/// Receives outputs, and compares each as it comes or, with `later`, all of them at the end.
class Consumer {
 public:
  HostOutput link;

  Consumer(PinnedMemory& memory, Time call, const Batch& batch, Checker& checker, bool later)
      : link(memory, call), batch_(batch), checker_(checker), later_(later) {}
  void step();
  bool done() const { return next_ == batch_.count; }

  /// The last output.
  Time ended() const { return ended_; }
  /// Throws Error where an output has not come back, because of `why`, or one before it has another size than expected.
  void require_all(const std::string& why);

 private:
  void compare();

  const Batch& batch_;
  Checker& checker_;
  bool later_;
  std::vector<Buffer> received_;
  int next_ = 0;
  Time ended_;
  Timer timer_;
};

}  // namespace isthmus::program
