#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "isthmus/engine/port.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/fabric/write_stream.hpp"

namespace isthmus::fabric {

/// The type of a page of memory for a core.
enum class MemoryType : std::uint8_t { cacheable, noncacheable };

/// Lines that a core reads ahead of its cacheable loads, within a page.
struct PrefetchSpec {
  std::uint64_t streams;  ///< sequences that the prefetcher follows at once
  std::uint64_t trigger;  ///< consecutive lines that start a sequence
  std::uint64_t lines;    ///< lines that the prefetcher reads ahead
};

struct CoreMemorySpec {
  int line = 64;                                ///< bytes of a line
  int stores = 16;                              ///< stores to the caches that are under way
  int uncached_stores = 8;                      ///< stores past the caches that are under way
  std::optional<std::uint64_t> write_stream{};  ///< see WriteStream
  std::optional<PrefetchSpec> prefetch{};
};

/// The loads and stores of an in-order core: part of an actor that has the core's clock. Loads hold the core up; a load
/// of non-cacheable memory brings at most 16 B, and there is one at a time. Stores and flushes leave it at once. Stores
/// that continue each other go out as a line, others one by one. The lines that were loaded last stand for its first
/// cache.
class CoreMemory {
 public:
  Out<LineAccess> accesses{"accesses"};
  In<LineResult> results{"results"};
  Out<AxiRead> reads{"reads"};  ///< this port and those below are for non-cacheable memory
  In<AxiBurst> data{"data"};
  Out<AxiWrite> writes{"writes"};
  In<AxiWritten> written{"written"};

  explicit CoreMemory(const CoreMemorySpec& spec);

  /// Bytes within a line.
  void load(MemoryType type, std::uint64_t address, std::span<std::byte> to);
  void store(MemoryType type, std::uint64_t address, std::span<const std::byte> from);
  /// The caches give up the line that an address lies in; what they have modified of it goes to memory.
  void flush(std::uint64_t address);
  /// Empties the first cache, because others may have written the lines that it held.
  void forget();
  /// Sends the stores that are still gathered, and returns once nothing is under way; its actor has to call it before
  /// it ends.
  void settle();
  /// Settles, and returns once memory holds all that any core had written by then.
  void barrier();

 private:
  /// A line that was loaded, or read ahead.
  struct Held {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;
    bool awaited = false;
    LineBytes data{};
  };
  /// Stores that continue each other, within a line.
  struct Gathered {
    MemoryType type = MemoryType::cacheable;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    LineBytes data{};
  };

  void send_stores();
  void load_cached(std::uint64_t address, std::span<std::byte> to);
  void load_uncached(std::uint64_t address, std::span<std::byte> to);
  /// A sequence of lines that are loaded one after the other.
  struct Stream {
    std::uint64_t last = ~std::uint64_t{0};
    std::uint64_t run = 0;  ///< consecutive loads up to `last`
    std::uint64_t used = 0;
  };

  void read_ahead(std::uint64_t line);
  Stream& follow(std::uint64_t line);
  Held& hold(std::uint64_t line);
  Held* find(std::uint64_t line);
  Held& ask(std::uint64_t line);
  void forget(std::uint64_t line);
  LineAccess& access(LineAccess::Kind kind, std::uint64_t address, std::uint64_t bytes, std::uint16_t tag);
  void take_result();
  void take_written();
  void send_cached();
  void send_uncached();
  std::uint64_t line_of(std::uint64_t address) const { return address / line_; }

  CoreMemorySpec spec_;
  std::uint64_t line_;
  std::size_t stores_;
  std::size_t uncached_stores_;
  WriteStream stream_;
  std::vector<Held> held_;
  std::uint64_t uses_ = 0;
  std::vector<Stream> streams_;
  std::uint64_t last_ = ~std::uint64_t{0};  ///< line that was loaded last
  Gathered gathered_;
  std::size_t storing_ = 0;            ///< stores into the caches, flushes and a barrier, under way
  std::deque<std::uint64_t> writing_;  ///< lines of non-cacheable memory on their way, in the order of their arrival
};

}  // namespace isthmus::fabric
