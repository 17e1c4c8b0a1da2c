#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus::layer {

/// What a thread of the program is at; never destroyed, for callbacks may come after the thread's end.
struct Thread {
  std::uint32_t number = 0;             ///< as the operating system numbers it
  std::uint32_t of = 0;                 ///< the journal's generation in which it has this number
  std::atomic<std::uint64_t> calls{0};  ///< that it has begun
  std::uint64_t polls = 0;              ///< in a row, each of which found a command that was not complete
  std::uint64_t poll_begin = 0;         ///< of the first
  std::uint64_t poll_end = 0;           ///< of the last
  Thread* before = nullptr;
};

/// The calling thread.
Thread& this_thread();

}  // namespace isthmus::layer
