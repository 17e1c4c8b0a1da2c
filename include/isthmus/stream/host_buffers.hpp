#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"
#include "isthmus/stream/pinned_memory.hpp"

/// The host's side of the link as application threads use it (stacc IV-D, table II).
namespace isthmus {

/// The token that owns a buffer of a pool: whoever holds it may touch the bytes.
struct PooledBuffer {
  std::uint64_t addr;      ///< address of the buffer for the device
  std::uint32_t capacity;  ///< capacity in bytes
  std::uint32_t bytes;     ///< bytes of data in the buffer
  std::byte* data;
  bool continues = false;  ///< whether the message goes on in the next buffer
};

class BufferHome;

/// A pinned buffer that the thread works in. It goes back when it leaves scope, at once: what that costs is charged at
/// the thread's next call. One that is kept past the end of the run keeps its bytes and goes nowhere.
class Buffer {
 public:
  Buffer(Buffer&& other) noexcept = default;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// The whole of an acquired buffer, or the data of a received one.
  std::span<std::byte> span() const { return {token_.data, token_.bytes}; }
  /// Only the first `bytes`, a multiple of 64, are to be sent.
  void shrink(std::size_t bytes);
  /// The message goes on in the buffer that is sent next: none of this one's words is its last.
  void continues() { token_.continues = true; }

 private:
  friend class BufferHome;
  Buffer(std::shared_ptr<BufferHome*> home, PinnedMemory::Loan loan, const PooledBuffer& token);
  void release();

  std::shared_ptr<BufferHome*> home_;  ///< null after the buffer was handed on
  PinnedMemory::Loan loan_;
  PooledBuffer token_;
  int exceptions_;  ///< exceptions under way when the buffer was taken
};

/// The pool that buffers of one direction come from and go back to.
class BufferHome {
 public:
  BufferHome(const BufferHome&) = delete;
  BufferHome& operator=(const BufferHome&) = delete;

 protected:
  BufferHome(PinnedMemory& memory, Time call)
      : call_(call), memory_(memory), here_(std::make_shared<BufferHome*>(this)) {}
  ~BufferHome() { *here_ = nullptr; }

  /// The time of a call, and of the releases since the last; throws Error where the run is over.
  void begin_call();

  Buffer take(const PooledBuffer& token);
  PooledBuffer give(Buffer&& buffer);
  /// Called from a destructor: must neither wait nor throw.
  virtual void put_back(const PooledBuffer& token) noexcept = 0;

  Timer timer_;
  Time call_;
  Time owed_;  ///< time of releases since the last call, to be paid in the next

 private:
  friend class Buffer;
  PinnedMemory& memory_;
  std::shared_ptr<BufferHome*> here_;  ///< keeps buffers that outlive the pool valid
};

/// The name of the buffers of the pool to the device, in reports.
inline constexpr const char* kInputBuffers = "input buffers";

/// The producer's end: empty buffers in, full ones out. Each call takes the time of a library call; none enters the
/// kernel.
class HostInput final : private BufferHome {
 public:
  In<PooledBuffer> free{"free"};
  Out<PooledBuffer> committed{"committed"};

  HostInput(PinnedMemory& memory, Time call) : BufferHome(memory, call) {}

  /// An empty buffer (get_free_buf); waits for one.
  Buffer acquire();
  /// Sends the buffer to the FPGA (commit_buf).
  void commit(Buffer&& buffer);

 private:
  friend class HostLink;
  void put_back(const PooledBuffer& token) noexcept override;
  std::vector<PooledBuffer> unused_;  ///< buffers that are acquired and not committed
  Occupancy pool_{kInputBuffers, 0, Occupancy::stocked(free)};
};

/// The consumer's end: buffers that the FPGA has filled.
class HostOutput final : private BufferHome {
 public:
  In<PooledBuffer> filled{"filled"};
  Out<PooledBuffer> released{"released"};

  HostOutput(PinnedMemory& memory, Time call) : BufferHome(memory, call) {}

  /// The next buffer of data in order (get_data_buf); waits for it. Leaving scope releases it (release_buf).
  Buffer receive();

 private:
  void put_back(const PooledBuffer& token) noexcept override;
  /// Released where the channel had no room for them: a link's has for all of its pool.
  std::vector<PooledBuffer> late_;
};

/// Small messages through memory-mapped I/O: a few bytes, low latency.
class HostControl {
 public:
  Out<MmioRequest> requests{"control_requests"};
  In<DeviceMessage> replies{"control_replies"};

  explicit HostControl(Time store) : store_(store) {}

  /// send_control_msg
  void send(std::uint32_t message);
  /// The next message with this tag (receive_control_msg); asks the device again until it has come. Messages with other
  /// tags are kept for later calls. Throws Error if it has not come after `patience`; without one it asks for ever.
  std::uint32_t receive(std::uint32_t tag, std::optional<Time> patience = {});

 private:
  Timer timer_;
  Time store_;
  std::vector<ControlMessage> kept_;
};

}  // namespace isthmus
