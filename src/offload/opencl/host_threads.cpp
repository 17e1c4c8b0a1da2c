#include "offload/threads/host.hpp"

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <thread>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::threads {
namespace {

ComputeQueue& queue_of(Queue& queue) {
  return *dynamic_cast<ThreadedQueue&>(queue).queue;
}

std::vector<ComputeEvent> events_of(const std::vector<Event>& events) {
  std::vector<ComputeEvent> all;
  all.reserve(events.size());
  for (const Event& event : events) all.push_back(dynamic_cast<const ThreadedEvent&>(*event).event());
  return all;
}

}  // namespace

void Run::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex);
  if (!failure_) failure_ = std::move(failure);
  changed.notify_all();
}

void Run::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadedMailbox::put(Run& run, Event event) {
  std::unique_lock lock(run.mutex);
  run.changed.wait(lock, [&] { return events_.size() < depth_ || run.failed(); });
  if (run.failed()) throw Ended{};
  events_.push_back(std::move(event));
  run.changed.notify_all();
}

Event ThreadedMailbox::take(Run& run) {
  std::unique_lock lock(run.mutex);
  run.changed.wait(lock, [&] { return !events_.empty() || run.failed(); });
  if (run.failed()) throw Ended{};
  Event event = std::move(events_.front());
  events_.pop_front();
  run.changed.notify_all();
  return event;
}

void ThreadedHost::stop_if_failed() const {
  const std::lock_guard lock(run_.mutex);
  if (run_.failed()) throw Ended{};
}

Event ThreadedHost::given(Queue& queue, ComputeEvent event, Call call) const {
  if (call == Call::blocking)
    event.wait();
  else  // a command that another queue waits for has to have been sent to the device (OpenCL 1.2, 5.13)
    queue_of(queue).flush();
  return std::make_shared<ThreadedEvent>(device_, std::move(event));
}

Event ThreadedHost::write(Queue& queue, const BufferPart& to, std::span<const std::byte> from, Call call,
                          std::vector<Event> after) {
  stop_if_failed();
  return given(queue, queue_of(queue).start_write(to.buffer, to.offset, from, events_of(after)), call);
}

Event ThreadedHost::read(Queue& queue, const BufferPart& from, std::span<std::byte> to, Call call,
                         std::vector<Event> after) {
  stop_if_failed();
  return given(queue, queue_of(queue).start_read(from.buffer, from.offset, to, events_of(after)), call);
}

Event ThreadedHost::launch(Queue& queue, const Launch& launch, std::vector<Event> after) {
  stop_if_failed();
  const NdRange range{.global = {launch.columns, launch.rows, 1}};
  return given(queue, queue_of(queue).launch(launch.kernel, range, launch.arguments, events_of(after)),
               Call::nonblocking);
}

void ThreadedHost::work(Time time) {
  for (const Time end = now() + time; now() < end;) stop_if_failed();
}

void ThreadedHost::wait(const Event& event) {
  stop_if_failed();
  dynamic_cast<const ThreadedEvent&>(*event).event().wait();
}

void ThreadedHost::finish(Queue& queue) {
  stop_if_failed();
  queue_of(queue).finish();
}

void ThreadedHost::put(Mailbox& mailbox, Event event) {
  dynamic_cast<ThreadedMailbox&>(mailbox).put(run_, std::move(event));
}

Event ThreadedHost::take(Mailbox& mailbox) {
  return dynamic_cast<ThreadedMailbox&>(mailbox).take(run_);
}

void run_threads(const ThreadedDevice& device, const std::vector<HostThread>& threads) {
  Run run;
  const auto guarded = [&device, &run](const HostThread& thread) {
    try {
      ThreadedHost host(device, run);
      thread.body(host);
    } catch (const Ended&) {
    } catch (...) {
      run.fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> running;
    for (const HostThread& thread : threads) {
      try {
        running.emplace_back(guarded, std::cref(thread));
      } catch (const std::system_error& error) {
        run.fail(std::make_exception_ptr(Error(fmt::format("host thread '{}': {}", thread.name, error.what()))));
        break;
      }
    }
  }
  run.rethrow();
}

}  // namespace isthmus::offload::threads
