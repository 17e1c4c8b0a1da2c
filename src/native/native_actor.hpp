#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "engine/fiber.hpp"
#include "isthmus/engine/detail/ring_end.hpp"
#include "isthmus/engine/graph.hpp"
#include "native/ring.hpp"

namespace isthmus::native {

class Worker;

/// Why an actor does not run at this moment.
enum class Wait : std::uint8_t {
  none,
  token,
  room,
  lead,  ///< between two steps, for the port at which a step is likely to wait
  news,
  time,
  finished
};

/// An actor on the worker that runs it: the slow paths of its ports, after a range of slots is used up.
class alignas(128) NativeActor final : public engine::NativeContext {
 public:
  NativeActor(engine::GraphActor& actor, Worker& worker) : actor_(actor), worker_(&worker) {}

  engine::SlotRange await_room(engine::RingEnd& ring_end) override;
  engine::SlotRange await_token(engine::RingEnd& ring_end) override;
  engine::SlotRange find_token(engine::RingEnd& ring_end) override { return find(ring_end); }
  engine::SlotRange find_room(engine::RingEnd& ring_end) override { return find(ring_end); }
  bool closed(engine::RingEnd& ring_end) override;
  Time seen_at(const engine::RingEnd& ring_end) const override;
  void tell_other_end(engine::RingEnd& ring_end) override;
  Time now() override;
  void wait_until(Time time) override;
  engine::AtBoundary before_next_step(bool lead_open) override;
  void finish() override;
  void fail() override { fail_with(std::current_exception()); }
  void fail_with(std::exception_ptr why);

  void add(End& end);
  /// Starts its steps or goes on with them, on a worker's fiber between two actors.
  void run() {
    at_step_boundary_ = false;
    wait_ = Wait::none;
    actor_.run_native();
  }
  bool ready() const;
  /// Lets it step, whether its lead is open or not.
  void insist() { insists_ = true; }

  /// Its worker turns to it, and away from it; an observed run counts the time between (Run::interval).
  void goes_on();
  void rests();
  bool counts() const { return counts_; }
  /// Seconds that it ran in `interval`, as far as they were counted.
  double worked(int interval) const;
  /// Tokens that went through `end` in `interval`, as far as they were counted.
  double moved(const End& end, int interval) const;

  /// Tells the actor to move to `worker` at its next step boundary. Any thread may call it.
  void send_to(Worker& worker) { target_.store(&worker, std::memory_order_release); }
  /// The worker to which it moves now; null if it stays.
  Worker* leaves_for() const;
  void belong_to(Worker& worker);
  /// Called after its worker has taken it: its ends and those of the other actors there no longer lie on different
  /// threads.
  void meet_neighbours();
  void part_from_neighbours();

  engine::GraphActor& actor() const { return actor_; }
  Worker& worker() const { return *worker_.load(std::memory_order_acquire); }
  Wait wait() const { return wait_; }
  const End* waits_on() const { return waits_on_; }
  Time until() const { return until_; }
  const std::vector<End*>& ends() const { return ends_; }
  bool finished() const { return wait_ == Wait::finished; }

  engine::FiberSlot* fiber = nullptr;  ///< the stack of a step that waits
  int rank = 0;                        ///< place along the channels
  std::size_t place = 0;               ///< place among the actors of its worker

 private:
  static constexpr int kNeverTried = -1;

  engine::SlotRange open(End& end);
  engine::SlotRange find(engine::RingEnd& ring_end);
  bool shares_worker() const;
  bool spin(const End& end);
  bool waits_for_lead(const End& end);
  void wait_for_lead_again();
  void note_failed_poll();
  void suspend(Wait wait, const End* on);
  bool inputs_drained() const;
  bool has_moved();
  engine::AtBoundary after_silent_step();
  engine::AtBoundary after_turn();
  bool would_repeat();
  engine::AtBoundary leave(Wait wait, const End* on = nullptr);

  engine::GraphActor& actor_;
  std::atomic<Worker*> worker_;
  std::atomic<Worker*> target_ = nullptr;
  bool at_step_boundary_ = true;
  bool insists_ = false;         ///< it steps though its lead is closed
  int tried_at_ = kNeverTried;   ///< `opened` of the lead when it last did so
  bool goes_past_lead_ = false;  ///< a step did not wait for the lead
  bool only_input_ = false;      ///< it reads from one channel alone
  std::vector<End*> ends_;
  Wait wait_ = Wait::none;
  const End* waits_on_ = nullptr;
  Time until_;
  bool poll_failed_ = false;
  bool silent_before_ = false;  ///< the last look found it silent, and `snapshot` has its state
  int turns_ = 0;               ///< step boundaries since it began to run
  int opened_ = 0;

  std::chrono::steady_clock::time_point went_on_;  ///< when it went on, in an observed interval
  bool counts_ = false;                            ///< whether the time since then counts
  std::atomic<int> interval_ = 0;                  ///< the last interval in which it was observed
  std::atomic<std::int64_t> worked_ns_ = 0;        ///< ns that it ran in that interval
};

}  // namespace isthmus::native
