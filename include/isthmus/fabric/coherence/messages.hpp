#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/port.hpp"

/// The messages between caches, home and their clients (docs/coherence.md).
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
    read_once,  ///< uncached: a line that misses is not kept
    write,
    write_once,  ///< write of a whole line: if it misses, the line goes to memory and no cache keeps it
    flush,       ///< the cache gives the line up, and writes it back if it was modified
    fence,       ///< WrFence: its result comes when everybody can rely on the results of all writes before it
  };
  Kind kind;
  std::uint8_t bytes;    ///< bytes of the access; it ends within the line
  std::uint16_t tag;     ///< tag that the client gave
  std::uint8_t channel;  ///< channel to the home, if there are several: its index, or kAnyChannel
  std::uint8_t more;     ///< lines of the same request that follow, if there are several channels
  std::uint64_t addr;
  LineBytes data;  ///< data of a write
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
  std::uint8_t channel;  ///< channel that it came over, if there are several; of a fence under way, the one asked for
  LineBytes data;        ///< data of a read
};

/// Makes room for the result of an access, without a read's data.
inline LineResult& begin_result(Out<LineResult>& results, const LineAccess& of) {
  LineResult& result = results.slot();
  result.kind = of.kind;
  result.bytes = of.bytes;
  result.tag = of.tag;
  return result;
}

/// A cache asks the home for a line.
struct HomeRequest {
  enum class Kind : std::uint8_t {
    read,
    read_once,
    own,       ///< own the line to write all of it: the grant comes without data
    own_read,  ///< own the line to write a part of it
    put,       ///< write a line without keeping it: the line comes as a WriteBack after the grant
    fence,     ///< no line: answered when memory has all earlier writes
    leave,     ///< no line: the clients of the requester have finished
  };
  Kind kind;
  std::uint16_t miss;  ///< number of the miss in the cache
  std::uint64_t line;
};

/// The home asks a cache.
struct Snoop {
  bool invalidate;  ///< give the line up; else keep it in a state that reads may use
  bool data;        ///< whether the home wants the line's bytes
  std::uint16_t transaction;
  std::uint64_t line;
};

struct SnoopAnswer {
  std::uint16_t transaction;
  bool had;       ///< the cache had a valid copy
  bool has_data;  ///< the state was M, E or F, so the cache answers with data
  bool wanted;    ///< see Snoop::data
  bool dirty;     ///< the state was M
  bool buffered;  ///< the data come from the write-back buffer, whose message is void
  LineBytes data;
};

/// The home answers a cache. Always consumed.
struct HomeAnswer {
  enum class Kind : std::uint8_t {
    grant,
    written_back,
    fill,  ///< a line that the cache did not request and keeps if there is room: another cache reads it
  };
  Kind kind;
  LineState state;  ///< state that is granted; invalid after an uncached read
  bool has_data;
  bool confirm;         ///< whether the cache's confirmation ends the line's transaction; false for a void write-back
  std::uint16_t place;  ///< index of the miss, or index in the write-back buffer
  std::uint16_t transaction;
  std::uint64_t line;  ///< line of a fill
  LineBytes data;
};

/// A cache has taken a grant: the next transaction of the line may begin.
struct Confirm {
  std::uint16_t transaction;
};

/// A modified line that made way; or what a `put` writes.
struct WriteBack {
  std::uint16_t place;  ///< index in the write-back buffer
  std::uint64_t line;
  LineBytes data;
};

struct MemoryRead {
  bool fence;  ///< a fence: answered when memory has all earlier writes
  std::uint16_t transaction;
  std::uint64_t line;  ///< for a fence, the number of lines written before it
};

struct MemoryData {
  std::uint16_t transaction;
  LineBytes data;
};

struct MemoryWrite {
  std::uint64_t line;
  LineBytes data;
};

/// Copies in blocks of a length that the compiler knows: for another length it would use a string instruction, which
/// takes longer to start than to copy a line.
inline void copy_bytes(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kBlock = 64;
  std::size_t done = 0;
  for (; done + kBlock <= bytes; done += kBlock) std::memcpy(to + done, from + done, kBlock);
  if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
}
inline void copy_line(const LineBytes& from, LineBytes& to, int bytes) {
  copy_bytes(from.data(), to.data(), static_cast<std::size_t>(bytes));
}

/// Gets the accesses and messages of the parts of a coherence domain, with their times; for checks and probes. The
/// calls of one part come in the order of time, but calls of different parts in any order.
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
