#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/shared/memory.hpp"
#include "isthmus/shared/registers.hpp"

namespace isthmus {

struct CircuitSpec {
  const SharedMemory& memory;
  std::uint8_t channel = platform::kCoherentWay;  ///< channel that carries its lines
  int ports = 1;                                  ///< ports of the coherent cache
  int messages = 0;                               ///< lines of messages that it listens to
};

/// Options of an access besides its address.
struct AccessOptions {
  std::uint16_t tag = 0;  ///< tag of the access's result, below kOwnTags
  std::size_t port = 0;
  bool coherent = false;  ///< whether the access takes the coherent channel, whatever the circuit's channel is
};

/// Tags from here on are not the circuit's.
inline constexpr std::uint16_t kOwnTags = 0xff00;

/// A circuit's side of shared memory: what its logic may do in a cycle. A port of memory takes a read, gives a result
/// and takes a write in each; results of a port come in the order of its reads.
class CircuitSide {
 public:
  template <class T>
  struct Came {
    std::uint16_t tag;
    T value;
  };
  struct RegisterWrite {
    int number;
    std::uint64_t value;
  };
  struct Message {
    int line;
    std::uint64_t value;
  };

  PortArray<Out<fabric::LineAccess>> reads;
  PortArray<In<fabric::LineResult>> read_results;
  PortArray<Out<fabric::LineAccess>> writes;
  PortArray<In<fabric::LineResult>> write_results;
  In<RegisterAccess> registers{"registers"};
  Out<RegisterAnswer> answers{"answers"};
  PortArray<In<std::uint16_t>> hints;  ///< lines of messages that the cache has given up

  explicit CircuitSide(const CircuitSpec& spec);

  std::size_t ports() const { return reads.size(); }

  /// Tells whether a read, or a write, would go in this cycle.
  bool may_read(std::size_t port = 0);
  bool may_write(std::size_t port = 0);
  /// Asks for an object. Throws Error where that is no part of one line, and for a tag that is not the circuit's.
  template <class T>
  void read(Address<T> from, const AccessOptions& options = {}) {
    static_assert(sizeof(T) <= fabric::kMostLine, "what a circuit reads at once is part of a line");
    require_own(options.tag);
    ask(reads, fabric::LineAccess::Kind::read, from.value, sizeof(T), options);
  }
  /// What came, of reads of T alone at this port.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::optional<Came<T>> take_read(std::size_t port = 0) {
    static_assert(sizeof(T) <= fabric::kMostLine, "what a circuit reads at once is part of a line");
    const fabric::LineResult* result = take_result(port);
    if (result == nullptr) return {};
    Came<T> came{.tag = result->tag, .value = {}};
    std::memcpy(&came.value, result->data.data(), sizeof(T));
    return came;
  }
  /// Writes a value, over a PCIe channel whole lines. What follows a `report` waits until that is out.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(Address<T> to, const std::type_identity_t<T>& value, const AccessOptions& options = {}) {
    fabric::LineAccess& access = ask(writes, fabric::LineAccess::Kind::write, to.value, sizeof(T), options);
    std::memcpy(access.data.data(), &value, sizeof(T));
    ++writes_under_way_;
  }
  /// Sets the status word once all that was written before is where the CPU sees it.
  void report(std::uint64_t status) { status_due_ = status; }
  bool reported() const { return !status_due_.has_value(); }

  /// The CPU's write to a register, in the cycle in which it comes. Registers throw Error for a number that is not
  /// below kRegisters.
  std::optional<RegisterWrite> written() const { return written_; }
  std::uint64_t register_at(int number) const { return values_[place_among(kRegisters, "register", number)]; }
  /// Sets a register that the CPU can read.
  void set_register(int number, std::uint64_t value) { values_[place_among(kRegisters, "register", number)] = value; }
  /// A message of the CPU that has not been taken yet.
  std::optional<Message> message();

  Time now() { return timer_.now(); }

 protected:
  /// Before the logic's part of a step, and behind it.
  void hear();
  void settle();
  bool works() const { return !resetting_ && !leaving_; }
  bool resets() const { return resetting_; }
  /// Nothing is under way.
  bool drained() const;
  void restart();
  void note(bool moved) { moved_ |= moved; }
  bool over() const { return over_; }

 private:
  static void require_own(std::uint16_t tag);
  fabric::LineAccess& ask(PortArray<Out<fabric::LineAccess>>& to, fabric::LineAccess::Kind kind, std::uint64_t address,
                          std::size_t bytes, const AccessOptions& options);
  const fabric::LineResult* take_result(std::size_t port);
  void hear_core();
  void hear_writes();
  void take_message();
  void ask_for_message();
  bool send_status(std::uint64_t status);
  void drop_reads();

  Timer timer_;
  CircuitSpec spec_;
  std::uint64_t line_;
  std::vector<int> reads_under_way_;  ///< reads of each port
  int writes_under_way_ = 0;
  std::array<std::uint64_t, kRegisters> values_{};
  std::optional<RegisterWrite> written_;
  std::optional<std::uint64_t> status_due_;
  bool fenced_ = false;                          ///< whether the writes before the status word are fenced
  std::uint32_t to_ask_;                         ///< lines of messages that the circuit has still to read, a bit each
  std::array<std::uint64_t, kMessages> last_{};  ///< number of the last message of each line
  std::array<std::optional<std::uint64_t>, kMessages> arrived_{};

  // State of this step.
  bool moved_ = false;
  bool own_asked_ = false;  ///< whether port 0 has asked for the line of a message
  bool own_taken_ = false;

  bool resetting_ = false;
  bool leaving_ = false;  ///< whether the CPU's program has ended
  bool over_ = false;
};

/// A circuit with its logic: a value whose `bool step(CircuitSide&)` is called each cycle and says whether anything has
/// changed, if only its own state. A reset gives it back the value that it began with. It has `ports()` ports of memory
/// and listens to `messages()` lines of messages, if it says so.
template <class Logic>
class CircuitActor : public CircuitSide {
 public:
  CircuitActor(const CircuitSpec& spec, const Logic& logic) : CircuitSide(spec), first_(logic), logic_(logic) {}

  void step() {
    hear();
    if (works()) {
      note(logic_.step(*this));
    } else if (drained()) {
      if (resets()) logic_ = first_;
      restart();
    }
    settle();
  }
  bool done() const { return over(); }

  Logic& logic() { return logic_; }

 private:
  Logic first_;
  Logic logic_;
};

}  // namespace isthmus
