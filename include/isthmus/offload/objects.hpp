#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "isthmus/base/units.hpp"

/// What a device is and holds, whatever its back end: names, which nothing may outlive their device with.
namespace isthmus::offload {

/// The rates that a link promises in one direction, before anything has been moved (choi2019 fig. 5).
struct LinkRates {
  Bandwidth advertised;  ///< lanes * transfer rate
  Bandwidth payload;     ///< what encoding and packet overhead leave of it
};

/// The properties of a device, or of the share of it that was opened.
struct DeviceProperties {
  std::string target{};   ///< as it was named
  bool modelled = false;  ///< the clock is virtual: what the host computes between calls costs nothing
  std::string name{};
  std::string platform{};
  std::string vendor{};
  std::string driver{};
  std::string version{};  ///< of OpenCL
  std::string type{};     ///< "cpu", "gpu", "accelerator" or "other"
  std::string pci{};      ///< "0000:41:00.0"; empty where the driver does not tell
  std::int64_t compute_units = 0;
  std::int64_t clock_mhz = 0;
  std::int64_t global_memory = 0;   ///< bytes; 0: none of its own
  std::int64_t max_allocation = 0;  ///< bytes
  std::int64_t local_memory = 0;    ///< bytes
  std::int64_t cache = 0;           ///< bytes of last-level caches; 0: not known, as drivers of GPUs tell another level
  std::int64_t max_work_group = 0;  ///< work-items
  bool half = false;                ///< cl_khr_fp16
  bool fp64 = false;                ///< cl_khr_fp64
  bool ecc = false;
  bool host_memory = false;  ///< device and host have one memory
  bool compiles_online = false;
  bool limits_registers = false;    ///< whether its compiler takes -cl-nv-maxrregcount (cl_nv_compiler_options)
  bool divisible = false;           ///< into parts of equally many compute units
  Time opening{};                   ///< how long opening the device took, the first part of set-up
  std::optional<LinkRates> link{};  ///< where it is known; of several links that of the first
};

/// A back end's state of a buffer or a kernel, released when its last owner lets go.
class Object {
 public:
  virtual ~Object() = default;
};
using Handle = std::shared_ptr<Object>;

/// A region of the device's memory, freed when its last owner lets go.
class Buffer {
 public:
  Buffer(Handle memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
  std::size_t size() const { return size_; }  ///< bytes
  Object& object() const { return *memory_; }
  bool operator==(const Buffer& other) const { return memory_ == other.memory_; }

 private:
  Handle memory_;
  std::size_t size_;
};

/// Memory that the driver maps into the host's: page-locked memory of its own, or a buffer while no kernel touches it.
/// Given back to the device when its last owner lets go.
class PinnedBuffer {
 public:
  PinnedBuffer(std::shared_ptr<void> mapping, std::span<std::byte> bytes)
      : mapping_(std::move(mapping)), bytes_(bytes) {}
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::shared_ptr<void> mapping_;
  std::span<std::byte> bytes_;
};

/// A kernel that is ready to be launched on its device. Its launches come from one thread: they set its arguments.
class Kernel {
 public:
  Kernel(Handle kernel, std::string name) : kernel_(std::move(kernel)), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  Object& object() const { return *kernel_; }

 private:
  Handle kernel_;
  std::string name_;
};

/// Local memory that a kernel argument asks for.
struct LocalMemory {
  std::size_t bytes;
};

using Argument =
    std::variant<const Buffer*, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, LocalMemory>;

}  // namespace isthmus::offload
