#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus::fabric {

struct HomeSpec {
  int agents = 2;
  int uncached = 0;  ///< the last of these agents have no cache and are never snooped
  int line = 64;
  bool forward = true;    ///< state F: the last reader answers the next (QPI); else readers get S (CAPI)
  int transactions = 16;  ///< transactions under way, each of a different line
  bool directory = true;  ///< a directory in memory, for which a grant without data waits too (assumed)
  /// The cache that also keeps a line which another reads and no cache holds: the line passes it on its way.
  std::optional<std::size_t> filled{};
  /// The cache whose lines the home remembers: requests of the others snoop it for those alone.
  std::optional<std::size_t> remembered{};
};

/// The home of lines: their memory's front and the order of what happens to each. It serves one transaction of a line
/// at a time, until its requester has confirmed the answer; a request that has to wait holds up those behind it from
/// its cache.
///
/// Agents without a cache read what they do not keep, and put lines: all caches give theirs up, then the bytes come.
///
/// It asks the other caches and the memory at once. A cache that has the line's data answers in the memory's place.
class Home {
 public:
  PortArray<In<HomeRequest>> requests;
  PortArray<In<SnoopAnswer>> snoop_answers;
  PortArray<In<Confirm>> confirms;
  PortArray<In<WriteBack>> write_backs;
  PortArray<Out<Snoop>> snoops;
  PortArray<Out<HomeAnswer>> answers;
  Out<MemoryRead> memory_reads{"memory_reads"};
  In<MemoryData> memory_data{"memory_data"};
  Out<MemoryWrite> memory_writes{"memory_writes"};

  explicit Home(const HomeSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Transaction {
    std::uint64_t line = 0;
    std::size_t requester = 0;
    HomeRequest::Kind kind{};
    std::uint16_t miss = 0;
    std::uint16_t next = 0;  ///< next transaction in the same bucket
    int snoops_due = 0;
    bool memory_due = false;
    bool had = false;       ///< whether another cache has a copy
    bool has_data = false;  ///< whether the data of a cache or of memory have come
    bool answered = false;
    bool confirmed = false;
    bool void_due = false;  ///< whether a write-back that a snoop has overtaken is still to come
    bool fills = false;     ///< whether the line also goes to the cache that is filled
    bool fill_due = false;  ///< whether that cache has not confirmed its fill yet
    LineBytes data{};
  };
  struct Due {
    HomeAnswer::Kind kind = HomeAnswer::Kind::grant;
    bool confirm = true;
    std::uint16_t place = 0;  ///< index in the agent's write-back buffer
    std::uint16_t transaction = 0;
  };

  /// The messages that are still to come from a cache.
  struct Expected {
    int confirms = 0;
    int snoop_answers = 0;
    int puts = 0;              ///< puts whose bytes are still to come, maybe behind the agent's leave
    bool nothing_new = false;  ///< whether the agent has left
  };

  void take_confirm(std::size_t agent);
  void take_snoop_answer(std::size_t agent);
  void take_memory_data();
  void take_write_back(std::size_t agent);
  void take_put(std::size_t agent, const WriteBack& message, std::uint16_t place);
  void take_request(std::size_t agent);
  bool may_ask_others(std::size_t agent);
  bool ask_memory(const HomeRequest& request, std::uint16_t place);
  void ask(std::size_t agent, const HomeRequest& request, std::uint16_t place);
  bool may_have(std::size_t other, std::size_t agent, std::uint64_t line) const;
  bool fills(const Transaction& transaction) const;
  void answer_due(std::size_t agent);
  void grant(const Transaction& transaction, HomeAnswer& answer) const;
  void fill(const Transaction& transaction, HomeAnswer& answer) const;
  void answer_if_ready(std::uint16_t place);
  void end_if_over(std::uint16_t place);
  void write(std::uint64_t line, const LineBytes& data);

  std::uint16_t begin(std::size_t agent, std::uint64_t line);
  /// The transaction of a line; kNone where there is none.
  std::uint16_t find(std::uint64_t line) const;
  std::uint16_t& bucket(std::uint64_t line) { return buckets_[line & (buckets_.size() - 1)]; }

  static constexpr std::uint16_t kNone = 0xffff;
  Timer timer_;
  HomeSpec spec_;
  std::vector<Transaction> transactions_;
  Places free_;
  std::vector<std::uint16_t> buckets_;  ///< heads of the hash table's buckets, a power of two of them
  std::vector<Ring<Due>> due_;          ///< answers that wait, for each agent
  std::vector<Expected> expected_;
  std::unordered_set<std::uint64_t> given_;  ///< lines that the remembered cache may have
  int data_due_ = 0;
  std::size_t first_ = 0;  ///< the agent that is served first
  int left_ = 0;           ///< agents whose clients have finished
  int under_way_ = 0;      ///< transactions and answers under way

  // State of this step: a channel takes one token a tick.
  bool moved_ = false;
  bool read_ = false;
  std::uint64_t written_ = 0;  ///< lines that have gone to memory
  bool wrote_ = false;
  bool over_ = false;
};

/// The memory behind a home, on its clock: a line read and a line written a cycle; a write that comes with a read goes
/// first. Its latency is that of the channel from `data`.
class LineMemory {
 public:
  In<MemoryRead> reads{"reads"};
  Out<MemoryData> data{"data"};
  In<MemoryWrite> writes{"writes"};

  LineMemory(PinnedMemory& memory, int line) : memory_(memory), line_(line) {}
  void step();

 private:
  std::byte* at(std::uint64_t line) { return memory_.at(line * static_cast<std::uint64_t>(line_), line_); }

  Timer timer_;
  PinnedMemory& memory_;
  int line_;
};

}  // namespace isthmus::fabric
