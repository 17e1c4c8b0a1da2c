#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "isthmus/engine/graph.hpp"

// The ring of a channel: its tokens, and behind them the history of those that were there.

namespace isthmus::engine {

/// The memory of a graph's rings. Where there are many, or one is large, they lie in large pages, if the system gives
/// such: else a move of an actor that is seldom busy looks its page up in memory first, and each slot of a large token
/// costs a page fault before the run.
class RingMemory {
 public:
  /// Bytes at the alignment of a cache line, until this ends; null where there are none.
  std::byte* take(std::size_t bytes);

 private:
  std::byte* block(std::size_t bytes);

  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::size_t taken_ = 0;
  std::byte* next_ = nullptr;  ///< in the block that is shared
  std::size_t left_ = 0;
};

/// Lays out the channel's ring, whose ends are known; throws Error where the depth is below 1, or slots and their bytes
/// do not fit the 32 bits in which they are counted on the way of a token, or there is no memory.
void make_ring(Channel& channel, int depth, const TokenType& type, RingMemory& memory);

}  // namespace isthmus::engine
