#include <optional>
#include <span>
#include <utility>

#include "offload/opencl/api.hpp"

namespace isthmus::offload::opencl {
namespace {

class Command final : public EventState {
 public:
  Command(cl::Event event, const DeviceState& device) : event_(std::move(event)), device_(device) {}

  void wait() const override {
    device_.checked([this] {
      try {
        event_.wait();
      } catch (const cl::Error& error) {
        const bool failed = error.err() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        const cl_int status = failed ? event_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() : CL_COMPLETE;
        throw cl::Error(status < 0 ? status : error.err(), error.what());
      }
    });
  }
  Span span() const override {
    return checked(device_.name, [this] {
      return Span{.start = at(event_.getProfilingInfo<CL_PROFILING_COMMAND_START>()),
                  .end = at(event_.getProfilingInfo<CL_PROFILING_COMMAND_END>())};
    });
  }
  std::int64_t queued_ns() const {
    return checked(device_.name, [this] {
      return static_cast<std::int64_t>(event_.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>());
    });
  }
  const cl::Event& event() const { return event_; }

 private:
  Moment at(std::uint64_t device_ns) const {
    return Moment::ns(static_cast<std::int64_t>(device_ns) - device_.timer_ahead_ns);
  }

  cl::Event event_;
  const DeviceState& device_;
};

class BuiltProgram final : public Program {
 public:
  BuiltProgram(cl::Program program, std::string file, std::string device)
      : program_(std::move(program)), file_(std::move(file)), device_(std::move(device)) {}

  Kernel kernel(const std::string& name) const override {
    if (auto made = find(name)) return {hold(std::move(*made)), name};
    throw Error(fmt::format("{}: expected a kernel named '{}'", file_, name));
  }
  bool has(const std::string& kernel) const override { return find(kernel).has_value(); }
  std::vector<std::byte> binary() const override {
    const auto binaries = checked(device_, [this] { return program_.getInfo<CL_PROGRAM_BINARIES>(); });
    if (binaries.empty() || binaries.front().empty())
      throw Error(fmt::format("{}: device '{}' gives no binary of it", file_, device_));
    const auto bytes = std::as_bytes(std::span(binaries.front()));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::optional<cl::Kernel> find(const std::string& name) const {
    return checked(device_, [&]() -> std::optional<cl::Kernel> {
      try {
        return cl::Kernel(program_, name.c_str());
      } catch (const cl::Error& error) {
        if (error.err() == CL_INVALID_KERNEL_NAME) return {};
        throw;
      }
    });
  }

  cl::Program program_;
  std::string file_;
  std::string device_;
};

void require_inside(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.size() || bytes > buffer.size() - offset)
    throw Error(fmt::format("a copy of {} bytes at {} does not fit a buffer of {}", bytes, offset, buffer.size()));
}

struct SetArgument {
  cl::Kernel& kernel;
  cl_uint index;

  void operator()(const Buffer* buffer) const {
    if (buffer != nullptr)
      kernel.setArg(index, held<cl::Buffer>(*buffer));
    else
      kernel.setArg(index, sizeof(cl_mem), nullptr);
  }
  void operator()(LocalMemory local) const { kernel.setArg(index, local.bytes, nullptr); }
  template <typename T>
  void operator()(T value) const {
    kernel.setArg(index, value);
  }
};

void set_argument(const Kernel& kernel, cl_uint index, const Argument& argument) {
  try {
    std::visit(SetArgument{held<cl::Kernel>(kernel), index}, argument);
  } catch (const cl::Error& error) {
    if (error.err() == CL_INVALID_ARG_SIZE || error.err() == CL_INVALID_ARG_VALUE)
      throw Error(fmt::format("kernel '{}': its argument {} has another type than expected", kernel.name(), index));
    throw;
  }
}

std::vector<cl::Event> events_of(const Events& awaited) {
  std::vector<cl::Event> events;
  events.reserve(awaited.size());
  for (const Event& each : awaited) events.push_back(dynamic_cast<const Command&>(each.state()).event());
  return events;
}

class InOrderQueue final : public Queue {
 public:
  InOrderQueue(cl::CommandQueue queue, const DeviceState& device) : queue_(std::move(queue)), device_(device) {}
  ~InOrderQueue() override {
    try {
      queue_.finish();
    } catch (const cl::Error&) {
      // A device that is gone has nothing left to wait for.
    }
  }
  InOrderQueue(const InOrderQueue&) = delete;
  InOrderQueue& operator=(const InOrderQueue&) = delete;

  Event launch(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments,
               const Events& after) override;
  void write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) override;
  void read(const Buffer& from, std::size_t offset, std::span<std::byte> to) override;
  Event start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                    const Events& after) override;
  Event start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to, const Events& after) override;
  Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
             std::size_t bytes) override;
  Event copy_box(const Buffer& from, const BoxPlace& from_place, const Buffer& to, const BoxPlace& to_place,
                 const BoxSize& size) override;
  PinnedBuffer map(const Buffer& buffer) override;
  StartedMap start_map(const Buffer& buffer) override;
  Event fill(const Buffer& to, std::span<const std::byte> pattern) override;
  Event after(const Events& events) override;
  void flush() override {
    device_.checked([this] { queue_.flush(); });
  }
  void finish() override {
    device_.checked([this] { queue_.finish(); });
  }

 private:
  /// The event of what `enqueue` enqueues behind `after`.
  template <typename Enqueue>
  Event enqueued(const Events& after, const Enqueue& enqueue) {
    const std::vector<cl::Event> events = events_of(after);
    cl::Event event;
    device_.checked([&] { enqueue(&events, &event); });
    return Event(std::make_shared<Command>(std::move(event), device_));
  }

  cl::CommandQueue queue_;
  const DeviceState& device_;
};

Event InOrderQueue::launch(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments,
                           const Events& after) {
  return enqueued(after, [&](auto* events, auto* event) {
    const cl::Kernel& launched = held<cl::Kernel>(kernel);
    const auto wanted = launched.getInfo<CL_KERNEL_NUM_ARGS>();
    if (wanted != arguments.size())
      throw Error(fmt::format("kernel '{}' has {} arguments, expected {}", kernel.name(), wanted, arguments.size()));
    for (cl_uint index = 0; index < wanted; ++index) set_argument(kernel, index, arguments[index]);
    const auto& [global, local] = range;
    queue_.enqueueNDRangeKernel(launched, cl::NullRange, cl::NDRange(global[0], global[1], global[2]),
                                local[0] == 0 ? cl::NullRange : cl::NDRange(local[0], local[1], local[2]), events,
                                event);
  });
}

void InOrderQueue::write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) {
  require_inside(to, offset, from.size());
  if (from.empty()) return;
  device_.checked([&] { queue_.enqueueWriteBuffer(held<cl::Buffer>(to), CL_TRUE, offset, from.size(), from.data()); });
}

void InOrderQueue::read(const Buffer& from, std::size_t offset, std::span<std::byte> to) {
  require_inside(from, offset, to.size());
  if (to.empty()) return;
  device_.checked([&] { queue_.enqueueReadBuffer(held<cl::Buffer>(from), CL_TRUE, offset, to.size(), to.data()); });
}

Event InOrderQueue::start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                                const Events& after) {
  require_inside(to, offset, from.size());
  return enqueued(after, [&](auto* events, auto* event) {
    queue_.enqueueWriteBuffer(held<cl::Buffer>(to), CL_FALSE, offset, from.size(), from.data(), events, event);
  });
}

Event InOrderQueue::start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to, const Events& after) {
  require_inside(from, offset, to.size());
  return enqueued(after, [&](auto* events, auto* event) {
    queue_.enqueueReadBuffer(held<cl::Buffer>(from), CL_FALSE, offset, to.size(), to.data(), events, event);
  });
}

Event InOrderQueue::copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
                         std::size_t bytes) {
  require_inside(from, from_offset, bytes);
  require_inside(to, to_offset, bytes);
  return enqueued({}, [&](auto* events, auto* event) {
    queue_.enqueueCopyBuffer(held<cl::Buffer>(from), held<cl::Buffer>(to), from_offset, to_offset, bytes, events,
                             event);
  });
}

Event InOrderQueue::copy_box(const Buffer& from, const BoxPlace& from_place, const Buffer& to, const BoxPlace& to_place,
                             const BoxSize& size) {
  const auto origin = [&](const Buffer& buffer, const BoxPlace& place) {
    const std::size_t rows = (size[2] - 1) * place.slice_pitch + (size[1] - 1) * place.row_pitch + size[0];
    require_inside(buffer, place.offset, rows);
    return BoxSize{place.offset % place.row_pitch, place.offset / place.row_pitch, 0};
  };
  const BoxSize from_origin = origin(from, from_place);
  const BoxSize to_origin = origin(to, to_place);
  return enqueued({}, [&](auto* events, auto* event) {
    queue_.enqueueCopyBufferRect(held<cl::Buffer>(from), held<cl::Buffer>(to), from_origin, to_origin, size,
                                 from_place.row_pitch, from_place.slice_pitch, to_place.row_pitch, to_place.slice_pitch,
                                 events, event);
  });
}

/// CLHPP fills by values of a type, of which a pattern of any length has none.
Event InOrderQueue::fill(const Buffer& to, std::span<const std::byte> pattern) {
  return enqueued({}, [&](auto*, auto* event) {
    cl_event made = nullptr;
    const cl_int code = clEnqueueFillBuffer(queue_(), held<cl::Buffer>(to)(), pattern.data(), pattern.size(), 0,
                                            to.size(), 0, nullptr, &made);
    if (code != CL_SUCCESS) throw cl::Error(code, "clEnqueueFillBuffer");
    *event = made;
  });
}

PinnedBuffer InOrderQueue::map(const Buffer& buffer) {
  const StartedMap started = start_map(buffer);
  started.mapped.wait();
  const std::span<std::byte> bytes = started.memory.bytes();
  const auto finish = [memory = started.memory, queue = queue_](void*) mutable {
    memory = PinnedBuffer(nullptr, {});
    clFinish(queue());
  };
  return {std::shared_ptr<void>(bytes.data(), finish), bytes};
}

StartedMap InOrderQueue::start_map(const Buffer& buffer) {
  void* mapped = nullptr;
  auto event = enqueued({}, [&](auto* events, auto* made) {
    mapped = queue_.enqueueMapBuffer(held<cl::Buffer>(buffer), CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, buffer.size(),
                                     events, made);
  });
  const auto unmap = [buffer, queue = queue_](void* address) {
    // A device that is gone has nothing left to unmap.
    clEnqueueUnmapMemObject(queue(), held<cl::Buffer>(buffer)(), address, 0, nullptr, nullptr);
  };
  return {.memory = {std::shared_ptr<void>(mapped, unmap), {static_cast<std::byte*>(mapped), buffer.size()}},
          .mapped = std::move(event)};
}

Event InOrderQueue::after(const Events& awaited) {
  return enqueued(awaited, [&](auto* events, auto* event) { queue_.enqueueBarrierWithWaitList(events, event); });
}

}  // namespace

std::int64_t queued_ns(const Event& event) {
  return dynamic_cast<const Command&>(event.state()).queued_ns();
}

std::unique_ptr<Queue> make_queue(cl::CommandQueue queue, const DeviceState& device) {
  return std::make_unique<InOrderQueue>(std::move(queue), device);
}

std::unique_ptr<Program> make_program(cl::Program program, const std::string& file, const std::string& device) {
  return std::make_unique<BuiltProgram>(std::move(program), file, device);
}

}  // namespace isthmus::offload::opencl
