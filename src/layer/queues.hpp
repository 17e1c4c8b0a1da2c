#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "layer/names.hpp"
#include "layer/opencl.hpp"

namespace isthmus::layer {

/// A command whose times are not written yet; the event is held.
struct Pending {
  cl_event event = nullptr;
  std::uint64_t id = 0;
};

// Commands that may be pending before the driver is asked about them, unless the program waits anyway: their number
// bounds what the events take, and how many commands have no times if the process is killed.
inline constexpr std::size_t kMany = 1024;

struct Queue {
  std::uint32_t id = 0;
  std::uint32_t device = 0;
  cl_command_queue_properties properties = 0;  // as the program sees them
  bool forced = false;                         // profiling is on though the program did not ask for it
  bool told_by_list = false;                   // made with a list of properties, which is `list`
  std::vector<cl_queue_properties> list{};
  std::uint64_t timer_resolution = 0;
  std::uint32_t written_in = 0;  // the journal's generation
  std::deque<Pending> pending{};
  std::size_t look_at = kMany;  // how many may be pending before the oldest are looked at again
};

/// The queues of the program. An entry stays when its queue is gone: events may outlive a queue, and a queue that gets
/// the same handle takes the entry's place. Not for several threads at once.
class Queues {
 public:
  explicit Queues(Names& names) : names_(names) {}
  /// A queue was made, with these properties as far as the program can see.
  void made(cl_command_queue handle, const Queue& seen);
  /// One that was made out of the layer's sight is as its driver says.
  Queue& find(cl_command_queue handle);
  /// Returns none for a queue that was never seen.
  Queue* known(cl_command_queue handle);
  /// Writes down a queue that the journal does not know yet.
  void introduce(Queue& queue);
  auto begin() { return queues_.begin(); }
  auto end() { return queues_.end(); }

 private:
  Names& names_;
  std::unordered_map<cl_command_queue, Queue> queues_;
  std::unordered_map<std::uint32_t, cl_device_id> devices_;
  std::uint32_t last_ = 0;
};

}  // namespace isthmus::layer
