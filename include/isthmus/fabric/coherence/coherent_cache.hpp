#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"

namespace isthmus::fabric {

struct CoherentCacheSpec {
  Bytes size;
  int ways = 1;
  int line = 64;               ///< bytes of a line, a power of two
  int ports = 1;               ///< clients, each with an access a cycle
  int reads_in_flight = 8;     ///< reads in flight that miss
  int writes_in_flight = 8;    ///< writes in flight that miss, and write-backs
  bool random = false;         ///< evicts a random valid line; else the least recently used
  bool fetches_lines = false;  ///< whether a whole-line write that misses fetches the line; else it comes without data
  bool filled = false;         ///< whether the home sends it lines that it has not requested (fills)
  std::uint64_t watched = 0;   ///< first of the lines that it watches: it reports when it gives one up
  int watched_lines = 0;
};

/// A cache that a home keeps coherent with others, on a clock: an access to the tags for each port in a cycle, and a
/// snoop beside them. An access that has to wait holds up those behind it at its port: while its line is awaited or in
/// the write-back buffer, and for want of a slot or a way.
class CoherentCache {
 public:
  PortArray<In<LineAccess>> requests;
  PortArray<Out<LineResult>> results;  ///< a client takes results whatever else it waits for
  Out<HomeRequest> home_requests{"home_requests"};
  In<HomeAnswer> home_answers{"home_answers"};
  Out<Confirm> confirms{"confirms"};
  Out<WriteBack> write_backs{"write_backs"};
  In<Snoop> snoops{"snoops"};
  Out<SnoopAnswer> snoop_answers{"snoop_answers"};
  PortArray<Out<std::uint16_t>> hints;  ///< one port if any line is watched: indices of the lines given up

  /// It is number `agent` of its home. Throws Error for a size below a set, and for other numbers that
  /// cannot be.
  CoherentCache(const CoherentCacheSpec& spec, std::size_t agent, CoherenceObserver* observer = nullptr);

  void step();
  /// It ends with its home, which ends when no cache has clients any more.
  bool done() const { return over_; }

  /// The lines of the cache, and those in the write-back buffer that are still to be written; for checks.
  const LineStore& lines() const { return store_; }
  /// The lines, to be changed only while nothing runs.
  LineStore& lines() { return store_; }

 private:
  using Way = LineStore::Way;
  /// The order of accesses that write nothing.
  static constexpr std::uint64_t kNoWrite = ~std::uint64_t{0};
  struct Miss {
    std::size_t port = 0;
    Way* way = nullptr;   ///< way that awaits the line; null for an uncached read
    bool puts = false;    ///< a write that is not kept, whose bytes have not gone to the home yet
    bool filled = false;  ///< a read that a fill has answered and whose grant is still to come
    std::uint64_t order = kNoWrite;
    LineAccess access{};
  };
  struct Buffered {
    bool taken = false;
    bool valid = false;  ///< false once a snoop has taken the line: the write-back under way is void
    std::uint64_t line = 0;
    std::uint64_t order = kNoWrite;
    LineBytes data{};
  };

  void take_answer();
  void take_grant(const HomeAnswer& answer);
  void take_written_back(const HomeAnswer& answer);
  void take_fill(const HomeAnswer& answer);
  void answer_awaited(Way& way, const HomeAnswer& answer);
  void hand_on(std::uint16_t miss);
  void hand_on_waiting();
  void answer_snoop();
  void answer_from(Way& way, const Snoop& snoop, SnoopAnswer& answer);
  void look_up(std::size_t port);
  void flush(std::size_t port, const LineAccess& access, Way* way);
  void fence(std::size_t port, const LineAccess& access);
  void hit(std::size_t port, const LineAccess& access, Way& way);
  void miss(std::size_t port, const LineAccess& access, Way* way);
  HomeRequest::Kind request_of(const LineAccess& access, bool kept) const;
  bool puts(std::uint64_t line) const;
  bool writes_before(std::uint64_t order) const;
  void send_put();
  bool make_way(Way& way);
  void leave();

  bool is_watched(std::uint64_t line) const;
  bool result_goes(std::size_t port) const;
  Buffered* in_buffer(std::uint64_t line);
  void perform(const LineAccess& access, Way& way, LineResult& result);
  void set(Way& way, LineState state);
  void give_up(Way& way);
  std::size_t line_bytes() const { return static_cast<std::size_t>(spec_.line); }
  std::uint64_t line_of(std::uint64_t addr) const { return addr >> line_shift_; }
  std::size_t offset_of(std::uint64_t addr) const { return addr & static_cast<std::uint64_t>(spec_.line - 1); }

  Timer timer_;
  Random random_;
  CoherentCacheSpec spec_;
  std::size_t agent_;
  CoherenceObserver* observer_;
  int line_shift_;
  LineStore store_;
  std::vector<Miss> misses_;
  Places free_misses_;
  int reads_free_;
  int writes_free_;
  std::vector<Buffered> buffer_;
  Places free_buffer_;
  int buffered_ = 0;
  int under_way_ = 0;                                 ///< answers of the home that are still to come
  Ring<std::uint16_t> puts_;                          ///< misses whose bytes may go to the home
  std::vector<Ring<std::uint16_t>> waiting_;          ///< for each port, the misses whose results wait for room
  std::uint64_t writes_ = 0;                          ///< misses and write-backs that have begun
  std::vector<std::optional<std::uint64_t>> fences_;  ///< for each port: `writes_` when its fence came

  // State of this step: a channel takes one token a tick.
  bool moved_ = false;
  bool asked_ = false;
  bool wrote_back_ = false;
  bool hinted_ = false;
  std::uint64_t handed_on_ = 0;  ///< ports that were handed on, a bit each

  bool left_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
