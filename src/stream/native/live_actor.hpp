#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "engine/fiber.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/engine/lane.hpp"
#include "stream/native/ring.hpp"

namespace isthmus::native {

class Worker;

/// Why an actor does not run at this moment.
enum class Wait : std::uint8_t { none, token, room, news, time, finished };

/// An actor on the worker that runs it: what its ports ask where a stretch of a lane is used up.
class alignas(128) LiveActor final : public engine::Live {
 public:
  LiveActor(engine::GraphActor& actor, Worker& worker) : actor_(actor), worker_(&worker) {}

  void await_room(engine::Lane& lane) override;
  void await_token(engine::Lane& lane) override;
  bool find_token(engine::Lane& lane) override { return find(lane); }
  bool find_room(engine::Lane& lane) override { return find(lane); }
  bool closed(engine::Lane& lane) override;
  Time seen_at(const engine::Lane& lane) const override;
  void tell_other_end(engine::Lane& lane) override;
  Time now() override;
  void wait_until(Time time) override;
  engine::Border border() override;
  void finish() override;
  void fail() override { fail_with(std::current_exception()); }
  void fail_with(std::exception_ptr why);

  void add(End& end);
  /// Starts or goes on with its steps: on a worker's fiber between two actors.
  void run() { actor_.run_live(); }
  bool ready() const;

  engine::GraphActor& actor() const { return actor_; }
  Worker& worker() const { return *worker_; }
  Wait wait() const { return wait_; }
  const End* waits_on() const { return waits_on_; }
  Time until() const { return until_; }
  const std::vector<End*>& ends() const { return ends_; }
  bool finished() const { return wait_ == Wait::finished; }

  engine::FiberSlot* fiber = nullptr;  ///< where a step stands that waits

 private:
  bool open(End& end);
  bool find(engine::Lane& lane);
  bool spin(const End& end, const std::atomic<bool>& over);
  void note_no();
  void suspend(Wait wait, const End* on);
  bool inputs_drained() const;
  bool has_moved();
  engine::Border after_silent_step();
  engine::Border leave(Wait wait);

  engine::GraphActor& actor_;
  Worker* worker_;
  std::vector<End*> ends_;
  Wait wait_ = Wait::none;
  const End* waits_on_ = nullptr;
  Time until_;
  bool said_no_ = false;
  bool silent_before_ = false;  ///< and its state is kept in `snapshot`
  int turns_ = 0;               ///< borders since it began to run
  int opened_ = 0;
};

}  // namespace isthmus::native
