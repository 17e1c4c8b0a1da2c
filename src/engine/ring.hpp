#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "isthmus/engine/graph.hpp"

// The ring of a channel: its tokens, and behind them the headers of earlier tokens, which are the history.

namespace isthmus::engine {

/// The memory of a graph's rings. But for a few small ones they lie in large pages if the system offers those. With
/// small pages a move of an actor that is seldom busy would first look its page up in memory, and laying out a ring
/// would cost a page fault every few slots.
class RingMemory {
 public:
  /// Bytes at the alignment of a cache line, which live as long as this object; null if there are none.
  std::byte* take(std::size_t bytes);

 private:
  std::byte* block(std::size_t bytes, std::size_t alignment);
  std::byte* large_pages(std::size_t bytes);

  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::size_t taken_ = 0;      ///< in small pages
  std::byte* next_ = nullptr;  ///< the next free byte of the last large pages
  std::size_t left_ = 0;
};

/// Lays out the ring of a channel whose ends are known. Throws Error if the depth is below 1, if slots and their bytes
/// do not fit the 32 bits in which they are counted on the way of a token, or if there is no memory.
void make_ring(Channel& channel, int depth, const TokenType& type, RingMemory& memory);

}  // namespace isthmus::engine
