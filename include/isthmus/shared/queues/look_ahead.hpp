#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "isthmus/shared/run.hpp"

/// Cores of the host and a circuit that work on shared memory together (gemieux2018, IV and V).
namespace isthmus::queues {

/// The way in which a core tells the circuit the line that it needs next.
enum class HandOver : std::uint8_t {
  none,           ///< the core does not tell the circuit: it works alone
  poll,           ///< in a line that the circuit reads again and again through its cache
  poll_uncached,  ///< in a line that the circuit reads again and again and does not keep
  mmio,           ///< by a store to a register of the circuit
  umsg,           ///< in a line that the circuit's cache watches: the cache tells when it loses the line (UMSG)
};
inline constexpr std::string_view kHandOvers[] = {"none", "poll", "poll-uncached", "mmio", "umsg"};

/// A core's work on lines, one after the other; it knows the next line while it works on one.
struct LookAhead {
  HandOver hand_over = HandOver::none;
  Time work;                             ///< time of the work on each line, once the core has it
  std::uint64_t reach = 0;               ///< bytes of the data, from the first on, that the circuit may read
  std::span<const std::uint32_t> lines;  ///< indices of the lines in the data, in the order of the work
  std::function<void(std::size_t place, std::span<const std::byte> line)> visit{};  ///< gets each line as it was read
};

struct LookAheadRun {
  Time elapsed;
  std::vector<Time> reads;            ///< time that each line took to arrive
  std::vector<platform::Part> parts;  ///< reports of the core and the circuit
};

/// A board with data in its host's memory. Each run begins with caches that hold nothing.
class LookAheadBoard {
 public:
  /// Throws Error where the data do not fit into the page table. `board` lives longer.
  LookAheadBoard(const platform::Description& board, std::span<const std::byte> data);

  /// The core works line by line, and hands the next one over before it asks for one; the circuit reads what is handed
  /// over, so that it is in the caches. Throws Error for a line that the data have not.
  LookAheadRun run(const LookAhead& work);

 private:
  const platform::Description& board_;
  platform::SharedSpec spec_;
  PinnedSpace memory_;
  std::uint64_t lines_;
  std::uint64_t data_;
  std::uint64_t mailbox_;
};

}  // namespace isthmus::queues
