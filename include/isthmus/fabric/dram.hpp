#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/dram_spec.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/arbiter.hpp"

/// A channel of the device's DRAM with its controller.
namespace isthmus::fabric {

enum class DramCommandKind : std::uint8_t { activate, precharge, precharge_all, read, write, refresh };

/// One command on the command bus. A command for the whole rank has no bank and no row.
struct DramCommand {
  DramCommandKind kind;
  std::int64_t cycle;  ///< cycle of DramSpec::clock
  int bank_group = 0;
  int bank = 0;
  std::int64_t row = 0;
};

/// Gets every command, in the order in which the controller decides, which may differ from the order of time.
class DramObserver {
 public:
  virtual ~DramObserver() = default;
  virtual void issued(const DramCommand& command) = 0;
};

/// The bytes of a channel. Only what was reserved exists.
class DramCells {
 public:
  DramCells() = default;
  /// Cells that hold the bytes of `seen`, which must outlive them; writes to them are dropped.
  static DramCells dropping_writes(const DramCells& seen);

  void reserve(std::uint64_t address, std::uint64_t bytes);
  void read(std::uint64_t address, std::span<std::byte> to) const;
  void write(std::uint64_t address, std::span<const std::byte> from);

 private:
  std::byte* place(std::uint64_t address) const;
  std::vector<std::unique_ptr<std::byte[]>> pages_;
  const DramCells* seen_ = nullptr;
};

namespace dram {
class Channel;
}

/// The name of the bursts that wait in a controller, in reports.
inline constexpr const char* kWaitingReads = "waiting reads";
inline constexpr const char* kWaitingWrites = "waiting writes";

/// The number of masters that a controller has ports for.
struct DramMasters {
  std::size_t read;
  std::size_t write;
};

/// The controller of one channel, which owns its cells while it runs.
///
/// The masters of each direction are served in turn, a request at a time, each in its order; a controller that has
/// served a group in one direction turns to the other if something waits there. While a burst waits its row is opened
/// ahead, as far as the queue reaches. Each command keeps every timing of DramSpec; refreshes are on time.
class DramController {
 public:
  PortArray<In<AxiRead>> reads;
  PortArray<Out<AxiBurst>> data;
  PortArray<In<AxiWrite>> writes;
  PortArray<Out<AxiWritten>> written;

  DramController(const DramSpec& spec, DramCells& cells, const DramMasters& masters, DramObserver* observer = nullptr);
  ~DramController();
  DramController(const DramController&) = delete;
  DramController& operator=(const DramController&) = delete;

  void step();

  /// The latencies of the channels `data` and `written`: the time from the last column command of a read to its data at
  /// the controller's port, and of a write to its acknowledgement. Throws Error where idle_latency is shorter than the
  /// timings.
  static Time read_latency(const DramSpec& spec);
  static Time write_latency(const DramSpec& spec);
  /// The latency of the channels `reads` and `writes`: the time from the port to the queue.
  static Time request_latency(const DramSpec& spec);

 private:
  bool read_burst();
  bool write_burst();

  Timer timer_;
  RoundRobin read_turn_;
  RoundRobin write_turn_;
  DramCells& cells_;
  std::unique_ptr<dram::Channel> channel_;
  Occupancy waiting_reads_;
  Occupancy waiting_writes_;
};

}  // namespace isthmus::fabric
