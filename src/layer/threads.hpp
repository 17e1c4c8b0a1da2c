#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus::layer {

/// What a thread of the program is at; never destroyed, for callbacks may come after the thread's end.
struct Thread {
  std::uint32_t number = 0;                            ///< number of the thread in the operating system
  std::uint32_t of = 0;                                ///< generation of the journal in which `number` is recorded
  std::atomic<std::uint64_t> calls{0};                 ///< calls that the thread has begun, without flushes
  std::atomic<std::uint64_t> idle{~std::uint64_t{0}};  ///< end of its last call; in no past while it is in one
  std::uint64_t polls = 0;                             ///< consecutive polls that found a command incomplete
  std::uint64_t poll_begin = 0;                        ///< begin of the first of these polls
  std::uint64_t poll_end = 0;                          ///< end of the last of these polls
  Thread* before = nullptr;
};

/// The calling thread.
Thread& this_thread();

}  // namespace isthmus::layer
