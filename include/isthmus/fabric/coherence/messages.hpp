#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/port.hpp"

/// What caches, home and their clients say to each other (docs/coherence.md).
namespace isthmus::fabric {

/// The longest line (CAPI).
inline constexpr int kMostLine = 128;
using LineBytes = std::array<std::byte, kMostLine>;

/// Modified, exclusive, shared, invalid; forward: the sharer that answers.
enum class LineState : std::uint8_t { invalid, shared, forward, exclusive, modified };

inline bool may_write(LineState state) {
  return state >= LineState::exclusive;
}

/// A client's access to a line or a part of one.
struct LineAccess {
  enum class Kind : std::uint8_t {
    read,
    read_once,  ///< uncached: what it misses is not kept
    write,
    write_once,  ///< of a whole line that is not kept where it misses: it goes to memory, and no cache has it
    flush,       ///< the cache gives the line up, and writes it back if it was modified
    fence,       ///< its result comes once the results of all writes before it may be relied on by anybody: WrFence
  };
  Kind kind;
  std::uint8_t bytes;    ///< none past the line's end
  std::uint16_t tag;     ///< the client's name for it
  std::uint8_t channel;  ///< the way to the home, where there are several: its place, or kAnyChannel
  std::uint8_t more;     ///< lines of the same request that follow, where there are several ways
  std::uint64_t addr;
  LineBytes data;  ///< of a write
};

inline bool is_write(LineAccess::Kind kind) {
  return kind == LineAccess::Kind::write || kind == LineAccess::Kind::write_once;
}

/// An access that leaves by `accesses`, alone in its request, over the first channel. The bytes of a write are for the
/// caller to put there.
inline LineAccess& begin_access(Out<LineAccess>& accesses, LineAccess::Kind kind, std::uint64_t address,
                                std::uint64_t bytes, std::uint16_t tag) {
  LineAccess& access = accesses.slot();
  access.kind = kind;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.tag = tag;
  access.channel = 0;
  access.more = 0;
  access.addr = address;
  return access;
}

/// A client's access goes over whichever channel is free (VA).
inline constexpr std::uint8_t kAnyChannel = 0xff;

struct LineResult {
  LineAccess::Kind kind;
  std::uint8_t bytes;
  std::uint16_t tag;
  std::uint8_t channel;  ///< over which it came, where there are several; before that, of a fence, as it was asked for
  LineBytes data;        ///< of a read
};

/// A cache asks the home for a line.
struct HomeRequest {
  enum class Kind : std::uint8_t {
    read,
    read_once,
    own,       ///< to write all of it: without data
    own_read,  ///< to write a part of it
    put,       ///< whose line comes as a WriteBack when it is granted: a write of who does not keep it
    fence,     ///< no line: answered once memory has all that was written before
    leave,     ///< no line: its clients have finished
  };
  Kind kind;
  std::uint16_t miss;  ///< the cache's name for it
  std::uint64_t line;
};

/// The home asks a cache.
struct Snoop {
  bool invalidate;  ///< else the line stays, to be read
  bool data;        ///< its bytes are wanted
  std::uint16_t transaction;
  std::uint64_t line;
};

struct SnoopAnswer {
  std::uint16_t transaction;
  bool had;       ///< a valid copy
  bool has_data;  ///< it was M, E or F: it answers
  bool wanted;    ///< the bytes, as they were asked for
  bool dirty;     ///< it was M
  bool buffered;  ///< out of the write-back buffer, whose message is void
  LineBytes data;
};

/// The home answers a cache. Always consumed.
struct HomeAnswer {
  enum class Kind : std::uint8_t {
    grant,
    written_back,
    fill,  ///< not asked for: a line that another cache reads, to be kept as well where there is room
  };
  Kind kind;
  LineState state;  ///< granted; invalid after an uncached read
  bool has_data;
  bool confirm;         ///< the line's transaction ends with the cache's word; not that of a void write-back
  std::uint16_t place;  ///< of the miss, or in the write-back buffer
  std::uint16_t transaction;
  std::uint64_t line;  ///< of a fill
  LineBytes data;
};

/// A cache has taken a grant: the next transaction of the line may begin.
struct Confirm {
  std::uint16_t transaction;
};

/// A modified line that made way; or what a `put` writes.
struct WriteBack {
  std::uint16_t place;  ///< in the buffer
  std::uint64_t line;
  LineBytes data;
};

struct MemoryRead {
  bool fence;  ///< its answer comes once all that was written before is in memory
  std::uint16_t transaction;
  std::uint64_t line;  ///< of a fence: how many lines were written before
};

struct MemoryData {
  std::uint16_t transaction;
  LineBytes data;
};

struct MemoryWrite {
  std::uint64_t line;
  LineBytes data;
};

/// In blocks of a length that the compiler knows: for another it takes a string instruction, which takes longer to
/// start than to copy a line.
inline void copy_bytes(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kBlock = 64;
  std::size_t done = 0;
  for (; done + kBlock <= bytes; done += kBlock) std::memcpy(to + done, from + done, kBlock);
  if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
}
inline void copy_line(const LineBytes& from, LineBytes& to, int bytes) {
  copy_bytes(from.data(), to.data(), static_cast<std::size_t>(bytes));
}

/// What parts of it do, at what time; for checks and probes. It is told by each part in the order of that part's time,
/// but of parts among each other in any.
class CoherenceObserver {
 public:
  virtual ~CoherenceObserver() = default;
  /// A line's state in the cache that is number `agent` of its home.
  virtual void now_is(std::size_t agent, std::uint64_t line, LineState state, Time at) = 0;
  /// A modified line entered the write-back buffer, or left it.
  virtual void buffered(std::size_t agent, std::uint64_t line, bool in, Time at) = 0;
  /// An access went to the tags, for good.
  virtual void looked_up(std::size_t agent, const LineAccess& access, Time at) = 0;
  /// A result has come from a cache to a service layer of it.
  virtual void came_back(std::size_t /*agent*/, Time /*at*/) {}
};

}  // namespace isthmus::fabric
