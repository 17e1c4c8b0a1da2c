#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "isthmus/base/error.hpp"

/// A real OpenCL device as a benchmark uses it: programs with build options, ND-ranges, copies of any part of a buffer,
/// the device's own timer, a share of a device. It stands beside the flow interface of device.hpp, which models have
/// too. Nothing here may outlive its ComputeDevice.
namespace isthmus::offload {

/// What a device, or the share of it that was opened, says of itself.
struct ComputeProperties {
  std::string target;  ///< as it was named
  std::string name;
  std::string platform;
  std::string vendor;
  std::string driver;
  std::string version;  ///< of OpenCL
  std::string type;     ///< "cpu", "gpu", "accelerator" or "other"
  std::string pci;      ///< "0000:41:00.0"; empty where the driver does not tell
  std::int64_t compute_units = 0;
  std::int64_t clock_mhz = 0;
  std::int64_t global_memory = 0;   ///< bytes
  std::int64_t max_allocation = 0;  ///< bytes
  std::int64_t local_memory = 0;    ///< bytes
  std::int64_t cache = 0;           ///< bytes of last-level caches; 0: not known, as drivers of GPUs tell another level
  std::int64_t max_work_group = 0;  ///< work-items
  bool half = false;                ///< cl_khr_fp16
  bool fp64 = false;                ///< cl_khr_fp64
  bool ecc = false;
  bool host_memory = false;  ///< device and host have one memory
  bool compiles_online = false;
  bool limits_registers = false;  ///< whether its compiler takes -cl-nv-maxrregcount (cl_nv_compiler_options)
  bool divisible = false;         ///< into parts of equally many compute units
};

/// The `index`th of `count` equal parts of a device's compute units; the whole device by default.
struct DevicePart {
  int index = 0;
  int count = 1;
};

/// An OpenCL object, released when its last owner lets go.
using ComputeHandle = std::shared_ptr<void>;

class ComputeBuffer {
 public:
  ComputeBuffer(ComputeHandle memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
  std::size_t size() const { return size_; }  ///< bytes
  void* handle() const { return memory_.get(); }

 private:
  ComputeHandle memory_;
  std::size_t size_;
};

/// Memory that the driver maps into the host's: page-locked memory of its own, or a buffer while no kernel touches it.
/// Given back to the device when its last owner lets go.
class PinnedMemory {
 public:
  PinnedMemory(ComputeHandle mapping, std::span<std::byte> bytes) : mapping_(std::move(mapping)), bytes_(bytes) {}
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  ComputeHandle mapping_;
  std::span<std::byte> bytes_;
};

/// Local memory that a kernel argument asks for.
struct LocalMemory {
  std::size_t bytes;
};

using ComputeArgument = std::variant<const ComputeBuffer*, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                     float, double, LocalMemory>;

/// Work-items; a local size of 0 leaves the choice to the driver.
struct NdRange {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{0, 0, 0};

  /// Of a kernel that is written as one work-item.
  static NdRange single() { return {.global = {1, 1, 1}, .local = {1, 1, 1}}; }
};

/// When a command ran, in nanoseconds of the device's own timer.
struct DeviceSpan {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// One enqueued command.
class ComputeEvent {
 public:
  ComputeEvent(ComputeHandle event, std::string device) : event_(std::move(event)), device_(std::move(device)) {}
  /// Throws Error if the command failed.
  void wait() const;
  /// Of a command that is complete.
  DeviceSpan span() const;
  void* handle() const { return event_.get(); }

 private:
  ComputeHandle event_;
  std::string device_;
};

/// A buffer on its way into the host's memory: its bytes may be touched when the event is complete. The last owner of
/// the memory that lets go starts its way back, which ends with the queue's commands.
struct StartedMap {
  PinnedMemory memory;
  ComputeEvent mapped;
};

/// The device's compiler does not take a program.
class BuildRefused : public Error {
 public:
  using Error::Error;
};

/// Where a box of rows lies in a buffer, in bytes: its first, and from row to row and from slice to slice of rows.
struct BoxPlace {
  std::size_t offset = 0;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

/// Bytes of a row, rows of a slice, slices.
using BoxSize = std::array<std::size_t, 3>;

class ComputeKernel {
 public:
  ComputeKernel(ComputeHandle kernel, std::string name) : kernel_(std::move(kernel)), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void* handle() const { return kernel_.get(); }

 private:
  ComputeHandle kernel_;
  std::string name_;
};

/// How the driver of an FPGA board is told in which bank of its memory a buffer lies.
struct MemoryBank {
  enum class Told {
    nothing,  ///< the driver chooses
    kernel,   ///< XRT: the bank that an argument of a kernel is connected to
    type,     ///< Intel, memories of several types: the same, by setting the argument
    channel,  ///< Intel, banks of one type that are not interleaved: by number
  };
  Told told = Told::nothing;
  const ComputeKernel* kernel = nullptr;
  std::uint32_t argument = 0;
  std::uint32_t bank = 0;
};

class ComputeProgram {
 public:
  ComputeProgram(ComputeHandle program, std::string file, std::string device)
      : program_(std::move(program)), file_(std::move(file)), device_(std::move(device)) {}
  /// Throws Error if the program has no such kernel.
  ComputeKernel kernel(const std::string& name) const;
  bool has(const std::string& kernel) const;
  /// What the driver made of the source, for `program_from_binary`.
  std::vector<std::byte> binary() const;

 private:
  ComputeHandle program_;
  std::string file_;
  std::string device_;
};

/// An in-order queue with profiling. Copies throw Error where they would leave the buffer.
class ComputeQueue {
 public:
  ComputeQueue(ComputeHandle queue, std::string device) : queue_(std::move(queue)), device_(std::move(device)) {}

  /// Throws Error if `arguments` are not those of the kernel's signature.
  ComputeEvent launch(const ComputeKernel& kernel, const NdRange& range, std::span<const ComputeArgument> arguments);
  ComputeEvent launch(const ComputeKernel& kernel, const NdRange& range,
                      std::initializer_list<ComputeArgument> arguments) {
    return launch(kernel, range, std::span(arguments.begin(), arguments.size()));
  }

  /// These return when the bytes have been copied.
  void write(const ComputeBuffer& to, std::size_t offset, std::span<const std::byte> from);
  void read(const ComputeBuffer& from, std::size_t offset, std::span<std::byte> to);
  /// These return at once; the host's bytes stay as they are until the event is complete.
  ComputeEvent start_write(const ComputeBuffer& to, std::size_t offset, std::span<const std::byte> from);
  ComputeEvent start_read(const ComputeBuffer& from, std::size_t offset, std::span<std::byte> to);
  ComputeEvent copy(const ComputeBuffer& from, std::size_t from_offset, const ComputeBuffer& to, std::size_t to_offset,
                    std::size_t bytes);
  /// Throws Error where the rows do not fit the buffers.
  ComputeEvent copy_box(const ComputeBuffer& from, const BoxPlace& from_place, const ComputeBuffer& to,
                        const BoxPlace& to_place, const BoxSize& size);
  /// Maps the whole buffer, for the host to read and write; giving it back waits until it is the device's again.
  PinnedMemory map(const ComputeBuffer& buffer);
  /// The same, and neither way is waited for: those of several buffers go together.
  StartedMap start_map(const ComputeBuffer& buffer);
  /// Fills the buffer with `pattern`, of 1, 2, 4, 8 ... 128 bytes.
  ComputeEvent fill(const ComputeBuffer& to, std::span<const std::byte> pattern);

  /// What is enqueued from here on begins after these commands of other queues, which have been flushed, and after all
  /// that this queue was given before. The event of that moment, which others may wait for; it has no times.
  ComputeEvent after(std::span<const ComputeEvent> events);

  /// Sends what is enqueued to the device.
  void flush();
  /// Waits for every command of the queue.
  void finish();

 private:
  ComputeHandle queue_;
  std::string device_;
};

/// A part of a program's text; error messages name it.
struct ProgramSource {
  std::string file;
  std::string text;
};

class ComputeDevice {
 public:
  /// Opens the device that `target` names (opencl:N or opencl:NAME), or a part of it; throws Error where the device
  /// cannot be divided so.
  static ComputeDevice open(const std::string& target, DevicePart part = {});

  const ComputeProperties& properties() const { return properties_; }
  /// Throws Error when the device has no room.
  ComputeBuffer buffer(std::size_t bytes) const;
  ComputeBuffer buffer(std::size_t bytes, const MemoryBank& bank) const;
  /// Throws Error when the host has no room.
  PinnedMemory pinned(std::size_t bytes) const;
  /// Memory of the host's that is there already, so that copies need no detour; it outlives what is returned. Throws
  /// Error if the driver refuses it.
  PinnedMemory pin(std::span<std::byte> memory) const;
  ComputeQueue queue() const;
  /// For copies: without the times of commands, which NVIDIA's driver takes twice as long to give.
  ComputeQueue copy_queue() const;
  /// Compiles the sources, one after the other, as one text; throws Error with the compiler's first complaint.
  ComputeProgram program(std::span<const ProgramSource> sources, const std::string& options) const;
  /// Loads what a vendor's compiler made for this device (.aocx, .xclbin).
  ComputeProgram program_from_binary(const std::string& file) const;

 private:
  ComputeDevice(ComputeHandle device, ComputeHandle context, ComputeProperties properties)
      : device_(std::move(device)), context_(std::move(context)), properties_(std::move(properties)) {}

  ComputeHandle allocate(std::size_t bytes, std::uint64_t flags, void* of_host = nullptr) const;
  ComputeQueue make_queue(std::uint64_t properties) const;
  ComputeProgram build(ComputeHandle program, const std::string& file, const std::string& options) const;

  ComputeHandle device_;
  ComputeHandle context_;
  ComputeProperties properties_;
};

/// The bytes of a contiguous range of values.
template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}
template <typename T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

}  // namespace isthmus::offload
