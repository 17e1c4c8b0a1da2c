#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/shared/queues/task_graph.hpp"
#include "shared/queues/stores.hpp"

/// Cores that execute tasks, and the circuit that keeps their queues. They share lines of memory: the control block has
/// two for each core, the data block the tasks' data, a line more for each task its value.
namespace isthmus::queues {

/// The shared data of all actors; addresses are the circuit's.
struct TaskPlaces {
  const TaskWork& work;
  const fabric::SharedSpace& space;
  int line;  ///< bytes of a line
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> first{};  ///< index of each task's first line in the data
  std::uint64_t data;
  std::uint64_t values;   ///< address of the lines {1, value} of the tasks that are done
  std::uint64_t control;  ///< address of the cores' `send` and `done` lines, core by core
  Time patience;          ///< longest time that a core waits for a task before it gives the run up

  std::uint64_t at(std::uint64_t block, std::uint64_t line_number) const {
    return block + line_number * static_cast<std::uint64_t>(line);
  }
  std::uint64_t data_line(std::uint32_t task, std::uint32_t number) const { return at(data, first[task] + number); }
  std::uint64_t value_line(std::uint32_t task) const { return at(values, task); }
  /// Circuit to core: tasks sent so far, whether there will be no more, and the numbers of the last of them, in turn.
  std::uint64_t send_line(int core) const { return at(control, 2 * static_cast<std::uint64_t>(core)); }
  /// Core to circuit: ready for tasks, tasks acknowledged, tasks done.
  std::uint64_t done_line(int core) const { return at(control, 2 * static_cast<std::uint64_t>(core) + 1); }
};

/// The words of these lines. Numbers of tasks are of 32 bits, two to a word.
enum SendWord : std::uint8_t { kSent, kOver, kNumbers };
enum DoneWord : std::uint8_t { kReady, kAcknowledged, kDone };
inline constexpr int kSendWords = kNumbers + kMostDepth / 2;

/// The work of every core on a task.
class TaskCore {
 public:
  TaskCore(const TaskPlaces& places, TaskRun& run, int number) : places_(places), run_(run), number_(number) {}

 protected:
  /// Tells whether the task is done, and its value.
  std::pair<bool, std::uint64_t> value_of(HostCore& core, std::uint32_t task) const;
  void execute(HostCore& core, std::uint32_t task) const;

  const TaskPlaces& places_;
  TaskRun& run_;
  int number_;
};

/// Executes every so-manyth task of the order, when those before it are done.
class OwnCore : public TaskCore {
 public:
  using TaskCore::TaskCore;
  bool step(HostCore& core);

 private:
  std::size_t next_ = 0;  ///< index of the next task in the order
};

/// Executes what the circuit sends.
class QueueCore : public TaskCore {
 public:
  using TaskCore::TaskCore;
  bool step(HostCore& core);

 private:
  void tell(HostCore& core, bool last = false) const;
  std::uint32_t number(const fabric::LineBytes& line) const;

  std::uint64_t taken_ = 0;
  std::uint64_t finished_ = 0;
  bool ready_ = false;
  Time waits_since_{};
};

/// The circuit: knows the graph, hears from the cores what is done, and sends them tasks that are ready.
struct TaskScheduler {
  Out<fabric::LineAccess> reads{"reads"};
  In<fabric::LineResult> read_results{"read_results"};
  Out<fabric::LineAccess> writes{"writes"};
  In<fabric::LineResult> write_results{"write_results"};
  Timer timer;
  const TaskPlaces& places;

  explicit TaskScheduler(const TaskPlaces& of);
  void step();
  bool done() const;

 private:
  /// A task in the ready queue of a core.
  struct Ready {
    std::uint32_t task;
    std::uint32_t asked = 0;  ///< lines of the task's data that are requested
    std::uint32_t come = 0;
  };
  struct Lane {
    std::deque<Ready> queue{};
    std::vector<std::uint32_t> sent{};  ///< tasks sent to the core, in order
    bool ready = false;
    std::uint64_t acknowledged = 0;
    std::uint64_t done = 0;
    bool looks = false;   ///< whether a read of the core's `done` line is under way
    bool writes = false;  ///< whether a write of the core's `send` line is under way
    bool told = true;     ///< whether the core's `send` line is up to date
    bool closed = false;  ///< whether the last message to the core has been written

    std::size_t waiting() const { return queue.size() + sent.size() - acknowledged; }
    std::size_t open() const { return queue.size() + sent.size() - done; }
  };

  bool take_read();
  bool take_write();
  void hear(Lane& lane, const fabric::LineBytes& line);
  void finish(std::uint32_t task);
  bool assign();
  bool ask();
  bool ask_for_data();
  bool look();
  bool send();
  void write(Lane& lane, int core);
  bool stopped() const { return places.work.stops_after && all_sent_ >= *places.work.stops_after; }

  std::vector<Lane> lanes_;
  std::vector<std::vector<std::uint32_t>> next_;  ///< for each task, the tasks that come after it
  std::vector<std::uint32_t> waits_for_;          ///< for each task, the number of tasks before it that are not done
  std::deque<std::uint32_t> ready_;               ///< ready tasks that are in no core's queue
  std::uint32_t finished_ = 0;
  std::uint32_t all_sent_ = 0;
  std::size_t first_looked_ = 0;
  std::size_t first_written_ = 0;
  int reads_under_way_ = 0;
};

}  // namespace isthmus::queues
