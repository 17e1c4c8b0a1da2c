#pragma once

#include <array>
#include <vector>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::fabric {

/// The memory channels of a master's bursts under way, oldest first.
class AxiBurstsUnderWay {
 public:
  struct Entry {
    std::uint32_t channel;
    bool last;
  };

  explicit AxiBurstsUnderWay(int most) : entries_(static_cast<std::size_t>(most)) {}
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == entries_.size(); }
  const Entry& oldest() const { return entries_[first_]; }
  void add(Entry entry) { entries_[(first_ + count_++) % entries_.size()] = entry; }
  void drop() {
    first_ = (first_ + 1) % entries_.size();
    --count_;
  }

 private:
  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// A reading AXI port to memory of `Channels` channels: splits regions into bursts, keeps as many under way as the port
/// may, and passes the data on in order, each burst taking its beats on the data path. At most one burst is asked for in
/// a cycle.
template <std::size_t Channels>
class AxiReader {
 public:
  In<AxiRegion> regions{"regions"};
  std::array<In<AxiBurst>, Channels> answers;
  Out<AxiBurst> data{"data"};
  std::array<Out<AxiRead>, Channels> requests;

  explicit AxiReader(const AxiSpec& spec) : spec_(spec), under_way_(spec.outstanding) {}

  void step() {
    if (under_way_.empty() && region_.bytes == 0) region_ = regions.read();
    const bool asked = ask();
    const bool passed = pass_on();
    if (asked && !passed) timer_.wait(spec_.beats(1));
  }

 private:
  bool ask() {
    if (under_way_.full() || (region_.bytes == 0 && !regions.pull(region_))) return false;
    const std::uint32_t bytes = spec_.first_burst(region_.at.byte, region_.bytes);
    requests[region_.at.channel].push({region_.at.byte, bytes});
    under_way_.add({.channel = region_.at.channel, .last = false});
    region_.at.byte += bytes;
    region_.bytes -= bytes;
    return true;
  }

  bool pass_on() {
    if (under_way_.empty()) return false;
    In<AxiBurst>& answer = answers[under_way_.oldest().channel];
    const AxiBurst* burst = answer.front();
    if (burst == nullptr) return false;
    timer_.wait(spec_.beats(burst->bytes));
    copy(*burst, data.slot());
    answer.pull();
    under_way_.drop();
    return true;
  }

  Timer timer_;
  AxiSpec spec_;
  AxiRegion region_{};  ///< what is left of it to ask for
  AxiBurstsUnderWay under_way_;
};

/// A writing AXI port to memory of `Channels` channels: each burst takes its beats on the data path; as many are under
/// way as the port may have.
template <std::size_t Channels>
class AxiWriter {
 public:
  In<AxiStore> stores{"stores"};
  std::array<In<AxiWritten>, Channels> answers;
  std::array<Out<AxiWrite>, Channels> writes;
  Out<AxiDone> written{"written"};

  explicit AxiWriter(const AxiSpec& spec) : spec_(spec), under_way_(spec.outstanding) {}

  void step() {
    const bool confirmed = confirm();
    const bool sent = send();
    if (!confirmed && !sent && under_way_.empty()) finished_ = stores.closed();
  }
  bool done() const { return finished_; }

 private:
  bool confirm() {
    if (under_way_.empty() || !answers[under_way_.oldest().channel].pull()) return false;
    if (under_way_.oldest().last) written.push({});
    under_way_.drop();
    return true;
  }

  bool send() {
    if (under_way_.full()) return false;
    const AxiStore* store = stores.front();
    if (store == nullptr) return false;
    timer_.wait(spec_.beats(store->write.burst.bytes));
    AxiWrite& write = writes[store->channel].slot();
    write.address = store->write.address;
    copy(store->write.burst, write.burst);
    under_way_.add({.channel = store->channel, .last = store->last});
    stores.pull();
    return true;
  }

  Timer timer_;
  AxiSpec spec_;
  AxiBurstsUnderWay under_way_;
  bool finished_ = false;
};

}  // namespace isthmus::fabric
