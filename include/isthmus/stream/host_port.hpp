#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/port.hpp"
#include "isthmus/engine/timer.hpp"

namespace isthmus {

template <class ToModel, class FromModel>
class HostPort;

/// The thread's end of a host port: where a real thread meets a model. The model waits in wall time for each of the
/// thread's calls, which happens at the port's virtual time, so that no result depends on wall time. One thread uses
/// it.
template <class ToModel, class FromModel>
class HostCalls {
 public:
  HostCalls() : meeting_(std::make_shared<Meeting>()) {}
  HostCalls(HostCalls&&) noexcept = default;
  HostCalls& operator=(HostCalls&&) = delete;
  ~HostCalls() {
    if (meeting_ != nullptr) finish();
  }

  /// Pushes `value` into the model; returns once it is in the channel. Throws Error if the model has ended.
  void send(const ToModel& value) { call(Kind::send, value); }
  /// Waits for a token of the model; none once it has closed the channel. Throws Error if the model has ended
  /// otherwise.
  std::optional<FromModel> receive() {
    call(Kind::receive, {});
    return std::exchange(meeting_->received, std::nullopt);
  }
  /// No more calls: the port's channel closes. Leaving scope does the same.
  void finish() {
    const std::lock_guard lock(meeting_->mutex);
    meeting_->finished = true;
    meeting_->changed.notify_all();
  }

 private:
  friend class HostPort<ToModel, FromModel>;
  enum class Kind { none, send, receive };

  /// The state that both ends share.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    Kind kind = Kind::none;
    ToModel value{};
    std::optional<FromModel> received;
    bool finished = false;
    bool ended = false;
  };

  void call(Kind kind, const ToModel& value) {
    Meeting& with = *meeting_;
    std::unique_lock lock(with.mutex);
    if (with.finished) throw Error("host port: a call after finish()");
    with.kind = kind;
    with.value = value;
    with.changed.notify_all();
    with.changed.wait(lock, [&] { return with.kind == Kind::none || with.ended; });
    if (with.kind != Kind::none) throw Error("host port: the model has ended");
  }

  std::shared_ptr<Meeting> meeting_;
};

/// The model's end of a host port: an actor that does what the thread calls.
template <class ToModel, class FromModel>
class HostPort {
  using Calls = HostCalls<ToModel, FromModel>;
  using Kind = typename Calls::Kind;

 public:
  Out<ToModel> out;
  In<FromModel> in;

  explicit HostPort(const Calls& calls) : meeting_(calls.meeting_) {}
  HostPort(const HostPort&) = delete;
  HostPort& operator=(const HostPort&) = delete;
  /// Ends the run, even if the graph never ran.
  ~HostPort() { end_run(); }

  void step() {
    for (;;) {
      switch (await_call()) {
        case Kind::send:
          out.push(meeting_->value);
          return answer(std::nullopt);
        case Kind::receive:
          if (!tell_of_close()) return;
          break;
        case Kind::none:
          done_ = true;
          return;
      }
    }
  }
  bool done() const { return done_; }
  /// The run is over: a thread that still calls is told so.
  void end_run() {
    const std::lock_guard lock(meeting_->mutex);
    meeting_->ended = true;
    meeting_->changed.notify_all();
  }

 private:
  Kind await_call() {
    std::unique_lock lock(meeting_->mutex);
    meeting_->changed.wait(lock, [&] { return meeting_->kind != Kind::none || meeting_->finished; });
    return meeting_->kind;
  }
  /// Answers a call to receive with a token, or leaves it to a later step; true where there will never be one. A read
  /// would finish the actor, and the thread may still want to send.
  bool tell_of_close() {
    FromModel token;
    if (in.pull(token)) {
      answer(token);
    } else if (in.closed()) {
      answer(std::nullopt);
      return true;
    } else {
      timer_.wait(in);
    }
    return false;
  }
  void answer(std::optional<FromModel> received) {
    const std::lock_guard lock(meeting_->mutex);
    meeting_->received = std::move(received);
    meeting_->kind = Kind::none;
    meeting_->changed.notify_all();
  }

  Timer timer_;
  std::shared_ptr<typename Calls::Meeting> meeting_;
  bool done_ = false;
};

}  // namespace isthmus
