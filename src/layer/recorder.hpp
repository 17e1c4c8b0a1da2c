#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "layer/information.hpp"
#include "layer/journal.hpp"
#include "layer/kinds.hpp"
#include "layer/names.hpp"
#include "layer/opencl.hpp"
#include "layer/queues.hpp"
#include "layer/threads.hpp"

namespace isthmus::layer {

/// What a call asks for.
struct RecordedCall {
  Kind kind;
  cl_command_queue queue = nullptr;
  std::uint64_t bytes = 0;
  cl_kernel kernel = nullptr;
  bool blocking = false;
  cl_uint dimensions = 0;
  const std::size_t* global = nullptr;
  const std::size_t* local = nullptr;
  cl_uint waits = 0;
};

/// When the layer was entered, and when the driver's call began and ended.
struct Stopwatch {
  explicit Stopwatch(Kind kind);
  std::uint64_t entered;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Writes calls and the times of commands into the journal. For any number of threads. The driver is never called with
/// the lock held where it could run a callback of the program's.
class Recorder {
 public:
  /// A command was enqueued, or refused. `event`, if there is one, is the layer's to release.
  void command(const RecordedCall& call, const Stopwatch& watch, cl_int result, cl_event event,
               bool program_asks) noexcept;
  /// The program is about to wait for a queue: the driver is asked about what is complete while the rest runs.
  void about_to_finish(cl_command_queue queue) noexcept;
  /// A call that makes no command is done.
  void host_call(const RecordedCall& call, const Stopwatch& watch, cl_int result) noexcept;
  /// A thread of this number waited, as became known afterwards.
  void waited(Kind kind, std::uint32_t thread, std::uint64_t begin, std::uint64_t end) noexcept;
  /// The calling thread has asked whether a command is complete.
  void polled(std::uint64_t begin, std::uint64_t end, bool complete) noexcept;
  /// Looks at the commands of one queue, or of all.
  void settle(cl_command_queue queue) noexcept;
  void settle_all() noexcept;
  /// The program has seen that a command of the queue is complete, or gives the queue away.
  void look_at_the_complete(cl_command_queue queue) noexcept;
  /// The process leaves: the driver may take its objects away from here on.
  void leave() noexcept;

  void introduce() noexcept;
  void queue_made(cl_command_queue handle, const Queue& seen) noexcept;
  /// What the program may see of a queue, without its pending commands.
  Queue queue(cl_command_queue handle);
  void set_queue_properties(cl_command_queue handle, cl_command_queue_properties properties, bool forced);
  void kernel_made(cl_kernel kernel) noexcept;
  void extension(const char* name) noexcept;

  /// How many bytes go back when what was mapped to `place` is unmapped.
  void mapped(void* object, void* place, std::uint64_t bytes) noexcept;
  std::uint64_t unmapped(void* object, void* place) noexcept;

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  void write(const RecordedCall& call, const Stopwatch& watch, cl_int result, std::uint64_t id, std::uint32_t queue,
             std::uint32_t kernel, std::uint16_t flags);
  /// At the oldest few commands; at all up to the first that is under way; or at every one.
  enum class Look : std::uint8_t { at_a_few, at_the_complete, at_all };
  void settle(Queue& queue, Look look);

  std::mutex lock_;
  Names names_;
  Queues queues_{names_};
  std::map<std::pair<void*, void*>, std::uint64_t> mapped_;
  std::uint64_t last_id_ = 0;
  bool watches_exit_ = false;
  bool leaving_ = false;
};

/// Never destroyed, as journal().
Recorder& recorder();

/// Runs `run(event)` of the driver and writes down the command. There is always an event, the program's or the layer's.
template <class Run>
cl_int enqueue(const RecordedCall& call, cl_event* event, const Run& run) {
  Stopwatch watch(call.kind);
  cl_event own = nullptr;
  cl_event* const place = event != nullptr ? event : &own;
  watch.begin = now();
  const cl_int result = run(place);
  watch.end = now();
  const cl_event held = result == CL_SUCCESS ? *place : nullptr;
  if (event != nullptr && held != nullptr) driver().clRetainEvent(held);
  recorder().command(call, watch, result, held, event != nullptr);
  return result;
}

/// Bytes of what was made.
inline std::uint64_t bytes_of(cl_mem made) {
  return information<size_t>(driver().clGetMemObjectInfo, made, CL_MEM_SIZE, size_t{0});
}
template <class Object>
std::uint64_t bytes_of(Object /*made*/) {
  return 0;
}

/// Runs `run(error)` of the driver, which returns a handle, and writes down the call with the bytes of what was made.
template <class Run>
auto create(RecordedCall call, cl_int* error, const Run& run) {
  Stopwatch watch(call.kind);
  cl_int result = CL_SUCCESS;
  watch.begin = now();
  const auto made = run(&result);
  watch.end = now();
  call.bytes = made != nullptr ? bytes_of(made) : 0;
  recorder().host_call(call, watch, result);
  if (error != nullptr) *error = result;
  return made;
}

/// Runs `run()` of the driver, which returns an error code, and writes down the call.
template <class Run>
cl_int host_call(const RecordedCall& call, const Run& run) {
  Stopwatch watch(call.kind);
  if (call.kind == Kind::finish) recorder().about_to_finish(call.queue);
  watch.begin = now();
  const cl_int result = run();
  watch.end = now();
  recorder().host_call(call, watch, result);
  return result;
}

/// Runs `run(error)` of the driver, which returns a place in memory, and writes down the call; none is a failure.
template <class Run>
void* allocated(const RecordedCall& call, cl_int* error, const Run& run) {
  void* place = nullptr;
  const cl_int result = host_call(call, [&] {
    cl_int failure = CL_SUCCESS;
    place = run(&failure);
    return place == nullptr && failure == CL_SUCCESS ? CL_MEM_OBJECT_ALLOCATION_FAILURE : failure;
  });
  if (error != nullptr) *error = result;
  return place;
}

}  // namespace isthmus::layer
