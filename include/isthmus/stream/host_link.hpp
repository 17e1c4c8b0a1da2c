#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/stream/device_link.hpp"
#include "isthmus/stream/host_buffers.hpp"
#include "isthmus/stream/link_users.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus {

/// The numbers of a host link, as platform files give them (stream.*, host.mmio.*, host.cores.*).
struct HostLinkSpec {
  RequestSpec requests{};
  Bytes buffer_size{4 << 20};
  int input_buffers = 8;
  int output_buffers = 8;
  Time porter_period = Time::us(10);
  Time library_call = Time::ns(100);  ///< time of acquire, commit, receive or release: a few instructions in user space
  Time mmio_store = Time::ns(100);
  Time core_to_core = Time::ns(50);         ///< time of a cache line from one thread's core to another's
  Clock device_clock{Frequency::mhz(250)};  ///< clock of the FPGA's side: the link's user clock
};

class Waits;

/// The name of the buffers that wait for the porter, in reports.
inline constexpr const char* kWaitingBuffers = "buffers that wait";

/// The porter thread of stacc IV-D: once a period it moves the entries of the queues between host and FPGA, stores one
/// way and loads the other.
class Porter {
 public:
  In<PooledBuffer> committed{"committed"};
  In<PooledBuffer> released{"released"};
  Out<PooledBuffer> free{"free"};
  Out<PooledBuffer> filled{"filled"};
  Out<MmioRequest> requests{"requests"};
  In<DeviceMessage> replies{"replies"};

  /// `inputs` are free at first; `outputs` are with the FPGA.
  Porter(const HostLinkSpec& spec, std::vector<PooledBuffer> inputs, std::vector<PooledBuffer> outputs);
  void step();
  /// It ends with both host threads.
  bool done() const { return false; }
  ~Porter();

 private:
  template <class T>
  bool pull(In<T>& queue, T& entry);
  void move_to_device();
  void move_from_device();

  Timer timer_;
  Time period_;
  Time store_;
  std::vector<PooledBuffer> inputs_;
  std::vector<PooledBuffer> outputs_;
  std::unique_ptr<Waits> waits_;  ///< waits for buffers at either end, for the porter's next look at their queue
  Occupancy waiting_{kWaitingBuffers, 1};
  bool started_ = false;
};

/// Lets the porter and the application's control messages share the way to the device. Interrupts go to the porter's
/// side.
class MmioSwitch {
 public:
  std::array<In<MmioRequest>, 2> requests;
  In<DeviceMessage> messages{"messages"};
  Out<MmioRequest> out{"out"};
  std::array<Out<DeviceMessage>, 2> replies;
  void step();
  /// It ends with its clients.
  bool done() const { return false; }
};

/// The parts of a host link that can hold up a stream.
struct HostLinkActors {
  ActorId porter;
  ActorId read_requests;
  ActorId reply_buffer;
  ActorId write_requests;
};

/// A host link in a graph: what is left to connect are the application's parts. All of the link ends once the producer,
/// the consumer and the kernel have.
class HostLink {
 public:
  /// Builds the pools in the link's memory and all parts of both sides.
  HostLink(Graph& graph, const PcieInterface& pcie, const HostLinkSpec& spec);
  /// The same as one of several users of the link, which are connected later.
  HostLink(Graph& graph, const PcieInterface& pcie, const HostLinkSpec& spec, LinkUsers& users);

  /// The channel to the kernel: the words of committed buffers in order, `last` on a message's last, which is that of a
  /// buffer.
  Out<StreamWord>& to_kernel() { return buffer_->out; }
  /// The channel from the kernel: `last` ends a message, which hands the buffer to the host.
  In<StreamWord>& from_kernel() { return writer_->in; }
  Out<std::uint32_t>& control_to_kernel() { return registers_->to_kernel; }
  In<ControlMessage>& control_from_kernel() { return registers_->from_kernel; }

  /// Connects host threads, which have no clock.
  void connect(HostInput& producer);
  void connect(HostOutput& consumer);
  void connect(HostControl& control);

  /// The same where an application sends no messages, or no control messages: neither the host's end nor the kernel's
  /// is used.
  void leave_out_input();
  void leave_out_control();

  const HostLinkActors& actors() const { return actors_; }

  /// The library's cost of a call, for HostInput and HostOutput.
  Time library_call() const { return spec_.library_call; }

 private:
  std::vector<PooledBuffer> make_pool(int buffers);
  void add_host(std::vector<PooledBuffer> inputs, std::vector<PooledBuffer> outputs);
  void build(LinkUsers& users);
  void add_reading_side(LinkUsers& users);
  void add_writing_side(LinkUsers& users);

  Graph& graph_;
  PcieInterface pcie_;
  HostLinkSpec spec_;
  DeviceRegisters* registers_ = nullptr;
  ReadBuffer* buffer_ = nullptr;
  WriteHelper* writer_ = nullptr;
  Porter* porter_ = nullptr;
  MmioSwitch* switch_ = nullptr;
  HostLinkActors actors_{};
};

/// Their names in reports.
inline constexpr const char* kReadRequests = "read requests";
inline constexpr const char* kReplyBuffer = "reply buffer";
inline constexpr const char* kWriteRequests = "write requests";
inline constexpr const char* kPorter = "porter thread";

}  // namespace isthmus
