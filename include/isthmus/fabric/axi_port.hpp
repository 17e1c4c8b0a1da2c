#pragma once

#include <array>
#include <vector>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::fabric {

/// The memory channels of a master's bursts under way, oldest first.
class AxiBurstsUnderWay {
 public:
  explicit AxiBurstsUnderWay(int most) : channels_(static_cast<std::size_t>(most)) {}
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == channels_.size(); }
  std::uint32_t oldest() const { return channels_[first_]; }
  void add(std::uint32_t channel) { channels_[(first_ + count_++) % channels_.size()] = channel; }
  void drop() {
    first_ = (first_ + 1) % channels_.size();
    --count_;
  }

 private:
  std::vector<std::uint32_t> channels_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// What reports call the bursts under way of an AXI port.
inline constexpr const char* kAxiBursts = "bursts";

/// A reading AXI port to memory of `Channels` channels: splits regions into bursts, keeps as many under way as the port
/// may, and passes the data on in order, each burst taking its beats on the data path. At most one burst is asked for
/// in a cycle.
template <std::size_t Channels>
class AxiReader {
 public:
  In<AxiRegion> regions{"regions"};
  std::array<In<AxiBurst>, Channels> answers;
  Out<AxiBurst> data{"data"};
  std::array<Out<AxiRead>, Channels> requests;

  explicit AxiReader(const AxiSpec& spec)
      : spec_(spec), under_way_(spec.outstanding), bursts_(kAxiBursts, spec.outstanding) {}

  void step() {
    if (under_way_.empty() && region_.bytes == 0) region_ = regions.read();
    const bool asked = ask();
    if (const AxiBurst* burst = answer())
      pass_on(*burst);
    else if (asked)
      timer_.wait(spec_.beats(1));
  }

 private:
  bool ask() {
    if (under_way_.full() || (region_.bytes == 0 && !regions.pull(region_))) return false;
    const std::uint32_t bytes = spec_.first_burst(region_.at.byte, region_.bytes);
    requests[region_.at.channel].push({region_.at.byte, bytes});
    under_way_.add(region_.at.channel);
    bursts_.take();
    region_.at.byte += bytes;
    region_.bytes -= bytes;
    return true;
  }

  /// To the oldest request, if it is there; a port that can ask for nothing more waits for it.
  const AxiBurst* answer() {
    if (under_way_.empty()) return nullptr;
    In<AxiBurst>& oldest = answers[under_way_.oldest()];
    return under_way_.full() ? &oldest.read_in_place() : oldest.pull_in_place();
  }

  void pass_on(const AxiBurst& burst) {
    timer_.wait(spec_.beats(burst.bytes));
    copy(burst, data.slot());
    under_way_.drop();
    bursts_.give();
  }

  Timer timer_;
  AxiSpec spec_;
  AxiRegion region_{};  ///< what is left of it to ask for
  AxiBurstsUnderWay under_way_;
  Occupancy bursts_;
};

/// A writing AXI port to memory of `Channels` channels: each burst takes its beats on the data path; as many are under
/// way as the port may have. After a `last` burst it waits until everything is written.
template <std::size_t Channels>
class AxiWriter {
 public:
  In<AxiStore> stores{"stores"};
  std::array<In<AxiWritten>, Channels> answers;
  std::array<Out<AxiWrite>, Channels> writes;
  Out<AxiDone> written{"written"};

  explicit AxiWriter(const AxiSpec& spec)
      : spec_(spec), under_way_(spec.outstanding), bursts_(kAxiBursts, spec.outstanding) {}

  void step() {
    const AxiStore& store = stores.read_in_place();
    if (under_way_.full()) confirm();
    send(store);
    if (!store.last) return;
    while (!under_way_.empty()) confirm();
    written.push({});
  }
  /// It ends with its master.
  bool done() const { return false; }

 private:
  /// Waits for the oldest burst to be written.
  void confirm() {
    In<AxiWritten>& oldest = answers[under_way_.oldest()];
    oldest.read();
    under_way_.drop();
    bursts_.came_back_with(oldest);
  }

  void send(const AxiStore& store) {
    timer_.wait(spec_.beats(store.write.burst.bytes));
    AxiWrite& write = writes[store.channel].slot();
    write.address = store.write.address;
    copy(store.write.burst, write.burst);
    under_way_.add(store.channel);
    bursts_.take();
  }

  Timer timer_;
  AxiSpec spec_;
  AxiBurstsUnderWay under_way_;
  Occupancy bursts_;
};

}  // namespace isthmus::fabric
