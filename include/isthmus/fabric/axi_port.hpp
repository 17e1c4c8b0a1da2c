#pragma once

#include <cstddef>
#include <cstdint>
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

/// The name of an AXI port's bursts under way in reports.
inline constexpr const char* kAxiBursts = "bursts";

/// A reading AXI port to memory of several channels: splits regions into bursts, keeps as many under way as the port
/// may, and passes the data on in order, each burst taking its beats on the data path. At most one burst is asked for
/// in a cycle.
class AxiReader {
 public:
  In<AxiRegion> regions{"regions"};
  PortArray<In<AxiBurst>> answers;
  Out<AxiBurst> data{"data"};
  PortArray<Out<AxiRead>> requests;

  AxiReader(const AxiSpec& spec, std::size_t channels);
  void step();
  const AxiPassed& passed() const { return passed_; }

 private:
  bool ask();
  const AxiBurst* answer();
  void pass_on(const AxiBurst& burst);

  Timer timer_;
  AxiSpec spec_;
  AxiRegion region_{};  ///< part of the region that is not asked for yet
  AxiBurstsUnderWay under_way_;
  Occupancy bursts_;
  AxiPassed passed_;
};

/// A writing AXI port to memory of several channels: each burst takes its beats on the data path; as many are under way
/// as the port may have. After a `last` burst it waits until everything is written.
class AxiWriter {
 public:
  In<AxiStore> stores{"stores"};
  PortArray<In<AxiWritten>> answers;
  PortArray<Out<AxiWrite>> writes;
  Out<AxiDone> written{"written"};

  AxiWriter(const AxiSpec& spec, std::size_t channels);
  void step();
  /// It ends with its master.
  bool done() const { return false; }
  const AxiPassed& passed() const { return passed_; }

 private:
  void confirm();
  void send(const AxiStore& store);

  Timer timer_;
  AxiSpec spec_;
  AxiBurstsUnderWay under_way_;
  Occupancy bursts_;
  AxiPassed passed_;
};

}  // namespace isthmus::fabric
