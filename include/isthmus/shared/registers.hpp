#pragma once

#include <cstdint>

namespace isthmus {

/// Registers of a circuit for control and status (CSRs), of 64 bits each.
inline constexpr int kRegisters = 64;

/// `number` as a place among so many. Throws Error "WHAT: expected a number from 0 to ..." for another.
std::uint16_t place_among(int count, const char* what, int number);

/// A core's access to a circuit's registers by MMIO.
struct RegisterAccess {
  enum class Kind : std::uint8_t { write, read, reset };
  Kind kind;
  std::uint16_t number;
  std::uint64_t value;  ///< what a write writes
};

/// The value of a read; of a reset, that it is over.
struct RegisterAnswer {
  std::uint64_t value;
};

}  // namespace isthmus
