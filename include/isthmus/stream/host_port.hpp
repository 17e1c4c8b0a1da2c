#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/port.hpp"

namespace isthmus {

/// The thread's end of a host port: where a real thread meets a model. The model waits in wall time for each of the
/// thread's calls, which happens at the port's virtual time, so that no result depends on wall time. One thread uses
/// it.
template <class ToModel, class FromModel>
class HostCalls {
 public:
  /// Pushes `value` into the model; returns once it is in the channel. Throws Error if the model has ended.
  void send(const ToModel& value) {
    std::unique_lock lock(mutex_);
    call(lock, Kind::send, value);
  }
  /// Waits for a token of the model; none once it has closed the channel. Throws Error if the model has ended
  /// otherwise.
  std::optional<FromModel> receive() {
    std::unique_lock lock(mutex_);
    call(lock, Kind::receive, {});
    return std::exchange(received_, std::nullopt);
  }
  /// No more calls: the port's channel closes. Leaving scope does the same.
  void finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }

 private:
  template <class A, class B>
  friend class HostPort;
  enum class Kind { none, send, receive };

  void call(std::unique_lock<std::mutex>& lock, Kind kind, const ToModel& value) {
    if (finished_) throw Error("host port: a call after finish()");
    kind_ = kind;
    value_ = value;
    changed_.notify_all();
    changed_.wait(lock, [&] { return kind_ == Kind::none || ended_; });
    if (kind_ != Kind::none) throw Error("host port: the model has ended");
  }

  // The model's side.
  Kind await_call() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kind_ != Kind::none || finished_; });
    return kind_;
  }
  void answer(std::optional<FromModel> received) {
    const std::lock_guard lock(mutex_);
    received_ = std::move(received);
    kind_ = Kind::none;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Kind kind_ = Kind::none;
  ToModel value_{};
  std::optional<FromModel> received_;
  bool finished_ = false;
  bool ended_ = false;
};

/// The model's end of a host port: an actor that does what the thread calls.
template <class ToModel, class FromModel>
class HostPort {
 public:
  Out<ToModel> out;
  In<FromModel> in;

  explicit HostPort(std::shared_ptr<HostCalls<ToModel, FromModel>> calls) : calls_(std::move(calls)) {}
  void step() {
    using Kind = typename HostCalls<ToModel, FromModel>::Kind;
    switch (calls_->await_call()) {
      case Kind::send:
        out.push(calls_->value_);
        calls_->answer(std::nullopt);
        break;
      case Kind::receive: {
        FromModel token;
        // A read would finish the actor on a closed channel; the thread may still want to send.
        while (!in.pull(token))
          if (in.closed()) return calls_->answer(std::nullopt);
        calls_->answer(token);
        break;
      }
      case Kind::none:
        done_ = true;
    }
  }
  bool done() const { return done_; }
  /// The run is over: a thread that still calls is told so.
  void end_run() { calls_->end(); }

 private:
  std::shared_ptr<HostCalls<ToModel, FromModel>> calls_;
  bool done_ = false;
};

}  // namespace isthmus
