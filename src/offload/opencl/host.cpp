#include "offload/opencl/host.hpp"

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <thread>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::opencl {
namespace {

cl_command_queue handle(Queue& queue) {
  return dynamic_cast<OpenClQueue&>(queue).handle();
}
cl_mem handle(const Buffer& buffer) {
  return dynamic_cast<const OpenClBuffer&>(buffer).handle();
}
cl_bool blocks(Call call) {
  return call == Call::blocking ? CL_TRUE : CL_FALSE;
}

std::vector<cl_event> handles(const std::vector<Event>& events) {
  std::vector<cl_event> list;
  list.reserve(events.size());
  for (const Event& event : events) list.push_back(dynamic_cast<const OpenClEvent&>(*event).handle());
  return list;
}

void require_room(const Buffer& buffer, std::size_t bytes) {
  if (static_cast<std::size_t>(buffer.size().count) < bytes)
    throw Error(fmt::format("a copy of {} bytes does not fit a buffer of {}", bytes, buffer.size().count));
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

void OpenClMailbox::put(Run& run, Event event) {
  std::unique_lock lock(run.mutex);
  run.changed.wait(lock, [&] { return events_.size() < depth_ || run.failed(); });
  if (run.failed()) throw Ended{};
  events_.push_back(std::move(event));
  run.changed.notify_all();
}

Event OpenClMailbox::take(Run& run) {
  std::unique_lock lock(run.mutex);
  run.changed.wait(lock, [&] { return !events_.empty() || run.failed(); });
  if (run.failed()) throw Ended{};
  Event event = std::move(events_.front());
  events_.pop_front();
  run.changed.notify_all();
  return event;
}

void OpenClHost::stop_if_failed() const {
  const std::lock_guard lock(run_.mutex);
  if (run_.failed()) throw Ended{};
}

template <typename Enqueue>
Event OpenClHost::enqueue(Queue& queue, Call call, const std::vector<Event>& after, const char* name, Enqueue enqueue) {
  stop_if_failed();
  const auto list = handles(after);
  cl_event event = nullptr;
  device_.check(enqueue(static_cast<cl_uint>(list.size()), list.empty() ? nullptr : list.data(), &event), name);
  auto made = std::make_shared<OpenClEvent>(device_, Handle<cl_event>(event));
  // A command that another queue waits for has to have been sent to the device (OpenCL 1.2, 5.13).
  if (call == Call::nonblocking) device_.check(clFlush(handle(queue)), "clFlush");
  return made;
}

Event OpenClHost::write(Queue& queue, Buffer& to, std::span<const std::byte> from, Call call,
                        std::vector<Event> after) {
  require_room(to, from.size());
  return enqueue(queue, call, after, "clEnqueueWriteBuffer", [&](auto... rest) {
    return clEnqueueWriteBuffer(handle(queue), handle(to), blocks(call), 0, from.size(), from.data(), rest...);
  });
}

Event OpenClHost::read(Queue& queue, const Buffer& from, std::span<std::byte> to, Call call, std::vector<Event> after) {
  require_room(from, to.size());
  return enqueue(queue, call, after, "clEnqueueReadBuffer", [&](auto... rest) {
    return clEnqueueReadBuffer(handle(queue), handle(from), blocks(call), 0, to.size(), to.data(), rest...);
  });
}

void OpenClHost::set_argument(cl_kernel kernel, cl_uint index, const Argument& argument) const {
  if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
    const cl_mem memory = handle(**buffer);
    device_.check(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
  } else {
    const cl_int value = std::get<std::int32_t>(argument);
    device_.check(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
  }
}

Event OpenClHost::launch(Queue& queue, const Launch& launch, std::vector<Event> after) {
  const cl_kernel kernel = dynamic_cast<const OpenClKernel&>(launch.kernel).handle();
  for (cl_uint index = 0; index < launch.arguments.size(); ++index)
    set_argument(kernel, index, launch.arguments[index]);
  const std::array items{launch.columns, launch.rows};
  // No size of work-group is given: the driver chooses what suits its device.
  return enqueue(queue, Call::nonblocking, after, "clEnqueueNDRangeKernel", [&](auto... rest) {
    return clEnqueueNDRangeKernel(handle(queue), kernel, items.size(), nullptr, items.data(), nullptr, rest...);
  });
}

void OpenClHost::work(Time time) {
  for (const Time end = now() + time; now() < end;) stop_if_failed();
}

void OpenClHost::wait(const Event& event) {
  stop_if_failed();
  dynamic_cast<const OpenClEvent&>(*event).wait();
}

void OpenClHost::finish(Queue& queue) {
  stop_if_failed();
  device_.check(clFinish(handle(queue)), "clFinish");
}

void OpenClHost::put(Mailbox& mailbox, Event event) {
  dynamic_cast<OpenClMailbox&>(mailbox).put(run_, std::move(event));
}

Event OpenClHost::take(Mailbox& mailbox) {
  return dynamic_cast<OpenClMailbox&>(mailbox).take(run_);
}

void run_threads(const OpenClDevice& device, const std::vector<HostThread>& threads) {
  Run run;
  const auto guarded = [&device, &run](const HostThread& thread) {
    try {
      OpenClHost host(device, run);
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

}  // namespace isthmus::offload::opencl
