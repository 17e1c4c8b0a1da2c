#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isthmus/stream.hpp"

/// The FPGA's side of the host link (stacc IV-D, V-B, V-C), on the user clock.
namespace isthmus {

/// A buffer of a pool as the FPGA knows it.
struct PoolEntry {
  std::uint64_t addr;
  std::uint32_t bytes;
  bool continues = false;  ///< whether the message goes on in the next buffer
};

/// The way in which the FPGA's side asks for data.
struct RequestSpec {
  std::int64_t size = 1024;  ///< bytes of the largest request, a multiple of 64
  int in_flight = 16;        ///< read requests of that size under way, each with its room in the reply buffer
  int gap = 4;               ///< cycles that a request takes besides its data
};

/// The names, in reports, of the room for the answers to reads, and the buffers of the pool to the host.
inline constexpr const char* kBytesAskedFor = "bytes asked for";
inline constexpr const char* kOutputBuffers = "output buffers";

/// The queues between host and FPGA at the FPGA's end. The channels at its ports are the queues.
class DeviceRegisters {
 public:
  In<MmioRequest> mmio{"mmio"};
  In<PoolEntry> freed_inputs{"freed_inputs"};
  In<PoolEntry> filled_outputs{"filled_outputs"};
  In<ControlMessage> from_kernel{"from_kernel"};
  Out<DeviceMessage> replies{"replies"};
  Out<PoolEntry> available_inputs{"available_inputs"};
  Out<PoolEntry> free_outputs{"free_outputs"};
  Out<std::uint32_t> to_kernel{"to_kernel"};

  /// `outputs` is the pool of output buffers, all of them free at first.
  explicit DeviceRegisters(std::vector<PoolEntry> outputs) : outputs_(std::move(outputs)) {}
  void step();
  /// It ends with the link.
  bool done() const { return false; }

 private:
  void take(const MmioRequest& store);
  DeviceMessage answer(const MmioRequest& load);

  std::vector<PoolEntry> outputs_;  ///< output buffers that are not in the queue yet
};

/// Splits buffers into requests (the splitter actor of stacc V-C).
class InputSplitter {
 public:
  In<PoolEntry> available{"available"};
  Out<PcieReadReq> requests{"requests"};
  Out<PoolEntry> order{"order"};  ///< buffers whose data will come, in order

  explicit InputSplitter(const RequestSpec& spec) : request_(spec.size) {}
  void step();
  /// It ends with the registers.
  bool done() const { return false; }

 private:
  std::int64_t request_;
};

/// The request half of the read helper (stacc V-B): lets a request go once the reply buffer has room for all its data,
/// lambda bytes being free. Each request takes the gap.
class ReadHelper {
 public:
  In<PcieReadReq> in{"in"};
  In<std::uint32_t> consumed{"consumed"};  ///< bytes that left the reply buffer
  Out<PcieReadReq> out{"out"};

  ReadHelper(const RequestSpec& spec, Time period);
  void step();
  /// It ends with its user.
  bool done() const { return false; }

  std::int64_t lambda() const { return lambda_; }

 private:
  Timer timer_;
  std::int64_t lambda_;
  Time gap_;
  Occupancy asked_;
};

/// The data half of the read helper: the channel to `in` is its circular buffer.
class ReadBuffer {
 public:
  In<PcieReadResp> in{"in"};
  In<PoolEntry> order{"order"};
  Out<StreamWord> out{"out"};
  Out<std::uint32_t> consumed{"consumed"};
  Out<PoolEntry> freed{"freed"};

  explicit ReadBuffer(const RequestSpec& spec) : request_(spec.size) {}
  void step();
  /// It ends with the link.
  bool done() const { return false; }

 private:
  std::int64_t request_;
  PoolEntry entry_{};       ///< buffer whose data come
  std::int64_t left_ = 0;   ///< bytes of the buffer that are still to come
  std::int64_t taken_ = 0;  ///< bytes of the request under way that have come
};

/// One write as the write helper announced it: how much of the buffer holds data, 0 before the last write into it.
using WriteRecord = PoolEntry;

/// The write helper (stacc V-B) with the splitter before it: gathers the data of a whole request before it lets the
/// request go, moves on to the next free buffer when one is full or a message ends. Each request takes the gap.
class WriteHelper {
 public:
  In<StreamWord> in{"in"};
  In<PoolEntry> free{"free"};
  Out<PcieWriteApply> requests{"requests"};
  Out<PcieWriteData> data{"data"};
  Out<WriteRecord> records{"records"};

  /// `buffers` are in the pool.
  WriteHelper(const RequestSpec& spec, Time period, int buffers);
  void step();
  /// It ends with the kernel.
  bool done() const { return false; }

 private:
  void end_request(bool last);

  Timer timer_;
  std::int64_t request_;
  Time gap_;
  PoolEntry buffer_{};  ///< buffer that is being filled; no bytes: none
  Occupancy pool_;
  std::int64_t filled_ = 0;    ///< bytes of the buffer that are announced
  std::int64_t gathered_ = 0;  ///< bytes of the request under way that are gathered
};

/// Tells the host of a buffer once all writes into it are on their way.
class WriteTracker {
 public:
  In<PcieWriteDone> writes_done{"writes_done"};
  In<WriteRecord> records{"records"};
  Out<PoolEntry> filled{"filled"};
  void step();
  /// It ends with the write helper.
  bool done() const { return false; }
};

}  // namespace isthmus
