#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isthmus/platform/soc_board.hpp"
#include "probes/core_buffer.hpp"

/// What a core, or a port, of a chip does once.
namespace isthmus::probes {

/// Names, by the place of a fabric::MemoryType.
inline constexpr std::array<std::string_view, 2> kMemoryTypes = {"cacheable", "noncacheable"};

inline constexpr std::uint64_t kTransposed = 4;  ///< bytes of an element

/// The operation of software on a buffer's lines in caches.
enum class Maintenance : std::uint8_t {
  flush,       ///< flush what a core has written, before the FPGA reads it
  invalidate,  ///< invalidate what a core has read, after the FPGA has written it
};
inline constexpr std::array<std::string_view, 2> kMaintenance = {"flush", "invalidate"};

struct BufferResult {
  Time elapsed;   ///< time until a core has handed out its last store, is past its last barrier, or a port has ended
  bool verified;  ///< whether the bytes are where they should be
};

/// A buffer that a core copies to the one behind it.
struct CopyTrial {
  fabric::MemoryType from;
  fabric::MemoryType to;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< length in bytes, a multiple of a line
};

/// A square matrix in cacheable memory that a core transposes into the buffer behind it.
struct TransposeTrial {
  fabric::MemoryType to;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t rows;
  std::uint64_t bytes;  ///< bytes of the matrix
};

/// Bytes in several buffers, which a core maintains one after the other while the other cores go to memory.
struct MaintenanceTrial {
  Maintenance operation;
  std::uint64_t buffers;
  int load;               ///< accesses that each other core has under way
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< bytes of all buffers, each of whole lines
};

/// A buffer that the FPGA moves through one port, with no cost of software.
struct PortTrial {
  std::size_t port;  ///< index of the port on the board
  bool to_fpga;
  BufferState state;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< length in bytes, a multiple of a line
};

BufferResult run_trial(const platform::SocSpec& board, const CopyTrial& trial);
BufferResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial);
/// It is right where the caches hold nothing in the end and memory has what was written.
BufferResult run_trial(const platform::SocSpec& board, const MaintenanceTrial& trial);
BufferResult run_trial(const platform::SocSpec& board, const PortTrial& trial);

}  // namespace isthmus::probes
