#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/shared/lines.hpp"

namespace isthmus {

/// Words from a line's begin on, which leave a core by its store buffer.
struct Store {
  static constexpr int kMost = 8;
  std::uint64_t address;
  int words;
  bool last;  ///< whether this is the core's last store
  std::array<std::uint64_t, kMost> word;
};

/// The numbers of a core's ports besides those of memory.
struct CorePorts {
  std::size_t stores = 0;  ///< store buffers
  std::size_t tells = 0;   ///< circuits and cores that it tells a number
  std::size_t hears = 0;   ///< cores that tell it a number
};

/// A core of the host as an actor whose steps are a body's, which addresses memory as circuits do.
class HostCore {
 public:
  /// A step; it says whether another follows.
  using Body = std::function<bool(HostCore&)>;

  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  PortArray<Out<Store>> stores;
  PortArray<Out<int>> tells;
  PortArray<In<int>> hears;
  Timer timer;
  const fabric::SharedSpace& space;

  HostCore(const fabric::SharedSpace& of, Body body, const CorePorts& ports)
      : stores(ports.stores, "stores"),
        tells(ports.tells, "tells"),
        hears(ports.hears, "hears"),
        space(of),
        body_(std::move(body)) {}

  void step() { over_ = !body_(*this); }
  bool done() const { return over_; }

  Time now() { return timer.now(); }
  void wait(Time time) { timer.wait_until(timer.now() + time); }
  /// Reads a line, or its begin, and waits for it.
  const fabric::LineResult& read(std::uint64_t address, std::uint64_t bytes);
  /// Reads a stretch, as many lines at once as a core may; `output` is empty where nobody asks for the bytes.
  void read(const LinePieces& stretch, std::span<std::byte> output);
  /// Writes a stretch, as many lines at once as a core may, and waits until it is where everybody sees it.
  void write(const LinePieces& stretch, std::span<const std::byte> bytes);
  /// Leaves words to the store buffer.
  void store(std::uint64_t address, std::span<const std::uint64_t> words, bool last);

 private:
  Body body_;
  bool over_ = false;
};

}  // namespace isthmus
