#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Buffers that cores of a chip and its FPGA share, and how each is kept coherent (min2019).
namespace isthmus::soc {

/// The allocation of a buffer, and the port that moves it (min2019, table I).
enum class Method : std::uint8_t {
  hp_nc,  ///< non-cacheable, through HP
  hp_c,   ///< cacheable, through HP; software flushes and invalidates
  hpc,    ///< cacheable, through the interconnect, which snoops
  acp,    ///< cacheable, through the second-level cache
};
inline constexpr std::array<std::string_view, 4> kMethods = {"hp-nc", "hp-c", "hpc", "acp"};

enum class Direction : std::uint8_t {
  to_fpga,
  to_cpu,
  within,  ///< from the FPGA to itself
};
inline constexpr std::array<std::string_view, 3> kDirections = {"to-fpga", "to-cpu", "within"};

/// The facts by which a method is chosen (min2019, figure 5).
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;  ///< bytes of one transfer
  Direction direction = Direction::to_fpga;
  bool mostly_written = true;     ///< whether the CPU hardly reads the buffer
  bool sequential = true;         ///< whether the CPU writes it in sequence
  bool can_be_sequential = true;  ///< whether a rewrite of the program could write it in sequence
  bool read_at_once = true;       ///< whether the FPGA reads it as soon as the CPU has written it
};

/// A user's choices for the buffers of a run.
struct Choice {
  std::vector<Method> methods{};  ///< method of each buffer
  bool sequential = false;        ///< whether the program is rewritten to write in sequence
  int delay = 0;                  ///< number of messages by which the FPGA is late
};

}  // namespace isthmus::soc
