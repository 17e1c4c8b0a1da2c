#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/stream/host_buffers.hpp"

/// The host link of stacc IV-D where both of its sides are threads of one host: no device, no PCIe, no copy of a
/// buffer. Who holds the token of a buffer reads and writes its bytes in place.
namespace isthmus::native {

struct LinkSpec {
  Bytes buffer_size{4 << 20};
  int input_buffers = 8;
  int output_buffers = 8;
};

/// Keeps a pool of buffers: all of them go out at the start, and each that comes back goes out again.
class BufferPool {
 public:
  In<PooledBuffer> returned{"returned"};
  Out<PooledBuffer> free{"free"};

  explicit BufferPool(std::vector<PooledBuffer> pool) : pool_(std::move(pool)) {}
  void step();
  /// It ends with the actor that gives buffers back.
  bool done() const { return false; }

 private:
  std::vector<PooledBuffer> pool_;
};

/// Hands the words of committed buffers to a kernel; `last` marks the last word of a message, which is the last word of
/// a buffer.
class BufferReader {
 public:
  In<PooledBuffer> committed{"committed"};
  Out<StreamWord> out{"out"};
  Out<PooledBuffer> freed{"freed"};
  void step();
};

/// Gathers a kernel's words into a buffer, which goes to the host when it is full or a message ends in it.
class BufferWriter {
 public:
  In<StreamWord> in{"in"};
  In<PooledBuffer> free{"free"};
  Out<PooledBuffer> filled{"filled"};
  void step();
  /// It ends with the kernel. An unfinished message is not handed over, as on a device.
  bool done() const { return false; }

 private:
  /// Tells whether the buffer is to be handed over.
  bool add(const StreamWord& word);

  PooledBuffer buffer_{};  ///< buffer that is being filled; without data: none
};

/// Control messages between a host thread and a kernel.
class ControlEnd {
 public:
  In<MmioRequest> requests{"requests"};
  In<ControlMessage> from_kernel{"from_kernel"};
  Out<std::uint32_t> to_kernel{"to_kernel"};
  Out<DeviceMessage> replies{"replies"};
  void step();
  /// It ends with the host thread.
  bool done() const { return false; }
};

/// A host link in a graph, which is used as HostLink is. The application connects its own parts to it.
class Link {
 public:
  Link(Graph& graph, const LinkSpec& spec);

  PinnedMemory& memory() { return *memory_; }

  /// The channels to and from the kernel, word by word. Asking for one of them adds its part of the link.
  Out<StreamWord>& to_kernel();
  In<StreamWord>& from_kernel();
  Out<std::uint32_t>& control_to_kernel() { return control().to_kernel; }
  In<ControlMessage>& control_from_kernel() { return control().from_kernel; }

  void connect(HostInput& producer);
  void connect(HostOutput& consumer);
  void connect(HostControl& host);

  /// Connects host threads without a kernel: the consumer receives what the producer commits.
  void hand_over(HostInput& producer, HostOutput& consumer);

 private:
  std::vector<PooledBuffer> make_pool(int buffers);
  ChannelOptions queue(int buffers) const;
  ControlEnd& control();

  Graph& graph_;
  LinkSpec spec_;
  std::shared_ptr<PinnedMemory> memory_;
  BufferReader* reader_ = nullptr;
  BufferWriter* writer_ = nullptr;
  ControlEnd* control_ = nullptr;
};

}  // namespace isthmus::native
