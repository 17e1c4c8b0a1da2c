#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/shared/memory.hpp"
#include "isthmus/shared/registers.hpp"

namespace isthmus {

class Core;
/// The CPU's side while the machine runs; it ends with it.
using Program = std::function<void(Core&)>;

struct CoreSpec {
  SharedMemory& memory;
  Time store;  ///< what a thread pays for a store to a register of the circuit (host.mmio.store)
};

/// A core of the host as its program sees it: loads and stores through the host's cache, registers of the circuit, and
/// what comes back from it. It is an actor: each call takes its time, and returns when the program could go on.
///
/// Stores are under way beside each other, ten at most; what they have written may be seen in any order until `fence`.
/// All calls that tell the circuit something begin with a fence.
class Core {
 public:
  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  Out<RegisterAccess> registers{"registers"};
  In<RegisterAnswer> answers{"answers"};

  Core(const CoreSpec& spec, Program program);

  void step();
  bool done() const { return over_; }

  template <class T>
  requires std::is_trivially_copyable_v<T> T load(Address<T> from) {
    T value{};
    load(from.value, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void store(Address<T> to, const std::type_identity_t<T>& value) {
    store(to.value, std::as_bytes(std::span(&value, 1)));
  }
  void load(std::uint64_t from, std::span<std::byte> bytes);
  void store(std::uint64_t to, std::span<const std::byte> bytes);
  /// Waits until all stores are where everybody sees them.
  void fence();

  /// Throw Error for a number that is not below kRegisters.
  void write_register(int number, std::uint64_t value);
  std::uint64_t read_register(int number);
  /// Takes the circuit back to where it began: what it has asked of memory is answered, and nobody's; the status word
  /// is 0 again. Returns when that is so.
  void reset();

  /// The status word as the host's cache has it.
  std::uint64_t status();
  /// Spins on it until it is `least` or more, and returns it. Throws Error when that has not come for `patience`.
  std::uint64_t await_status(std::uint64_t least, Time patience = Time::ms(100));

  /// Writes a message into its line, number 0 to kMessages - 1: the circuit's cache is asked to give that up, which
  /// tells the circuit to read it (UMSG). A message that it has not read yet is replaced.
  void send(int message, std::uint64_t value);

  Time now() { return timer_.now(); }

 private:
  /// A line, or a part of one, that is under way.
  struct UnderWay {
    std::byte* to = nullptr;  ///< where a load's data go
  };
  void ask(fabric::LineAccess::Kind kind, std::uint64_t address, std::size_t bytes, std::byte* to,
           const std::byte* from);
  void take();

  Timer timer_;
  CoreSpec spec_;
  Program program_;
  std::array<UnderWay, platform::kLineFills> under_way_{};
  fabric::Places free_;
  int loads_ = 0;  ///< loads under way
  int all_ = 0;    ///< loads and stores under way
  std::array<std::uint64_t, kMessages> sent_{};
  bool over_ = false;
};

}  // namespace isthmus
