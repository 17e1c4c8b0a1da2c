#include <array>
#include <mutex>
#include <optional>
#include <sstream>

#include "isthmus/base/clock.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/offload/open.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload {
namespace opencl {
namespace {

// Flags of clCreateBuffer and what XRT then takes for host memory: cl_ext_xilinx.h of XRT, cl_ext_intelfpga.h of
// Intel's FPGA SDK for OpenCL (cl_intelfpga_mem_banks), neither of which is Khronos's.
constexpr cl_mem_flags kXrtPlace = cl_mem_flags{1} << 31U;
constexpr cl_mem_flags kIntelTypes = cl_mem_flags{1} << 19U;

struct XrtPlace {
  cl_uint argument;
  void* host;
  void* kernel;
};

/// Channel 0 is the driver's choice.
cl_mem_flags intel_channel(std::uint32_t bank) {
  return cl_mem_flags{bank + 1} << 16U;
}

/// A part of a device is kept until the program ends: PoCL's threads still look at it after its last command.
void keep(const cl::Device& device) {
  static std::mutex door;
  static auto& kept = *new std::vector<cl::Device>;  // outlives every static, so that what it holds is never lost
  const std::lock_guard guard(door);
  kept.push_back(device);
}

/// The part of a device as a device of its own.
cl::Device take_part(cl::Device device, DevicePart part) {
  if (part.count == 1) return device;
  const DeviceProperties whole = describe(device, {});
  const std::int64_t each = whole.compute_units / part.count;
  if (each == 0)
    throw Error(fmt::format("device '{}' has {} compute units, expected at least {}: one for each rank", whole.name,
                            whole.compute_units, part.count));
  const std::array<cl_device_partition_property, 3> equally{CL_DEVICE_PARTITION_EQUALLY,
                                                            static_cast<cl_device_partition_property>(each), 0};
  std::vector<cl::Device> parts;
  try {
    device.createSubDevices(equally.data(), &parts);
  } catch (const cl::Error&) {
    throw Error(fmt::format("device '{}' cannot be divided into sub-devices", whole.name));
  }
  cl::Device mine = parts.at(static_cast<std::size_t>(part.index));
  keep(mine);
  return mine;
}

std::string log_of(const cl::BuildError& error) {
  const auto logs = error.getBuildLog();
  return logs.empty() ? "" : trimmed(logs.front().second);
}

constexpr const char* kOfACompiler = "error";

/// The line of a build log that a person looks for: the first that speaks of an error, else the first with text.
std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(kOfACompiler) != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "the driver gives no reason" : first;
}

/// Where processes build at the same time, one of PoCL's builds may fail though its compiler finds nothing wrong; the
/// next does not (pocl issues 586 and 1480).
void build_for(const cl::Device& device, const cl::Program& program, const std::string& options) {
  try {
    program.build(device, options.c_str());
  } catch (const cl::BuildError& error) {
    if (log_of(error).find(kOfACompiler) != std::string::npos) throw;
    program.build(device, options.c_str());
  }
}

/// A real device: the one owner of its context, and of the queues, programs and buffers in it.
class OpenClDevice final : public Device {
 public:
  /// `opened` is the moment at which opening it began.
  OpenClDevice(cl::Device device, const std::string& target, Moment opened)
      : device_(std::move(device)),
        properties_(describe(device_, target)),
        context_(checked(properties_.name, [&] { return cl::Context(device_); })),
        state_{.name = properties_.name} {
    properties_.cache = cache_of(properties_);
    properties_.opening = now() - opened;
  }

  const DeviceProperties& properties() const override { return properties_; }
  Moment now() const override { return monotonic_now(); }
  void align_clocks() override;

  Buffer buffer(std::size_t bytes, const MemoryBank& bank) override;
  PinnedBuffer pinned(std::size_t bytes) override {
    return queue()->map({hold(allocate(bytes, CL_MEM_ALLOC_HOST_PTR)), bytes});
  }
  PinnedBuffer pin(std::span<std::byte> memory) override {
    return queue()->map({hold(allocate(memory.size(), CL_MEM_USE_HOST_PTR, memory.data())), memory.size()});
  }
  std::unique_ptr<Queue> queue() override { return queue_with(CL_QUEUE_PROFILING_ENABLE); }
  std::unique_ptr<Queue> copy_queue() override { return queue_with(0); }
  std::unique_ptr<Mailbox> mailbox(std::size_t depth) override {
    return std::make_unique<ThreadMailbox>(state_.threads, depth);
  }
  Kernel kernel(const std::string& name) override;
  std::unique_ptr<Program> program(std::span<const ProgramSource> sources, const std::string& options) override;
  std::unique_ptr<Program> program_from_binary(const std::string& file) override;

  void run(std::vector<HostThread> threads) override { state_.threads.run(threads); }
  void work(Time time) override {
    for (const Moment end = now() + time; now() < end;) state_.threads.stop_if_failed();
  }
  Time access_registers(const RegisterAccess& access, int count) override;
  HostAccessLatency access_host_memory(const HostAccess& access) override;

 private:
  cl::Buffer allocate(std::size_t bytes, cl_mem_flags flags, void* of_host = nullptr) const;
  std::unique_ptr<Queue> queue_with(cl_command_queue_properties wanted) const;
  std::unique_ptr<Program> build(cl::Program program, const std::string& file, const std::string& options) const;

  cl::Device device_;
  DeviceProperties properties_;
  cl::Context context_;
  DeviceState state_;
  std::optional<Moment> aligned_at_{};
};

/// A command, seen by both clocks, says how far they are apart. Of several commands the one whose call took the
/// shortest counts: others may have had the processor meanwhile. Its enqueuing counts from the end of that call, so
/// that nothing seems to start before it was asked for.
void OpenClDevice::align_clocks() {
  constexpr auto kApart = Time::ms(100);  // in which two clocks, some millionths apart, lose some microseconds
  if (aligned_at_ && now() - *aligned_at_ < kApart) return;
  constexpr int kTrials = 5;
  constexpr std::array<std::byte, 4> kZeros{};
  const Buffer memory = buffer(kZeros.size(), {});
  const auto commands = queue();
  Time shortest;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Moment before = now();
    const Event seen = commands->start_write(memory, 0, kZeros, {});
    const Moment after = now();
    seen.wait();
    if (trial != 0 && after - before >= shortest) continue;
    shortest = after - before;
    aligned_at_ = after;
    state_.timer_ahead_ns = queued_ns(seen) - after.nanoseconds();
  }
}

cl::Buffer OpenClDevice::allocate(std::size_t bytes, cl_mem_flags flags, void* of_host) const {
  const auto refused = [&](const std::string& why) {
    const char* what = (flags & CL_MEM_ALLOC_HOST_PTR) != 0 ? "a pinned buffer" : "a buffer";
    return Error(fmt::format("device '{}' has no room for {} of {} bytes: {}", properties_.name, what, bytes, why));
  };
  // Asked first, because some drivers promise any size and fail when the buffer is used.
  if (bytes > static_cast<std::size_t>(properties_.max_allocation))
    throw refused(fmt::format("one may have {}", properties_.max_allocation));
  try {
    return {context_, CL_MEM_READ_WRITE | flags, bytes, of_host};
  } catch (const cl::Error& error) {
    throw refused(fmt::format("{}: {}", error.what(), code_name(error.err())));
  }
}

Buffer OpenClDevice::buffer(std::size_t bytes, const MemoryBank& bank) {
  switch (bank.told) {
    case MemoryBank::Told::kernel: {
      XrtPlace place{.argument = bank.argument, .host = nullptr, .kernel = held<cl::Kernel>(*bank.kernel)()};
      return {hold(allocate(bytes, kXrtPlace, &place)), bytes};
    }
    case MemoryBank::Told::type: {
      const cl::Buffer memory = allocate(bytes, kIntelTypes);
      checked(properties_.name, [&] { held<cl::Kernel>(*bank.kernel).setArg(bank.argument, memory); });
      return {hold(memory), bytes};
    }
    case MemoryBank::Told::channel:
      return {hold(allocate(bytes, intel_channel(bank.bank))), bytes};
    case MemoryBank::Told::nothing:
      break;
  }
  return {hold(allocate(bytes, 0)), bytes};
}

std::unique_ptr<Queue> OpenClDevice::queue_with(cl_command_queue_properties wanted) const {
  return checked(properties_.name, [&] { return make_queue(cl::CommandQueue(context_, device_, wanted), state_); });
}

std::unique_ptr<Program> OpenClDevice::program(std::span<const ProgramSource> sources, const std::string& options) {
  if (!properties_.compiles_online)
    throw Error(fmt::format("device '{}' compiles no source, expected --binary FILE", properties_.name));
  cl::Program::Sources texts;
  for (const ProgramSource& source : sources) texts.push_back(source.text);
  const auto program = checked(properties_.name, [&] { return cl::Program(context_, texts); });
  return build(program, sources.back().file, "-cl-std=CL1.2 " + options);
}

std::unique_ptr<Program> OpenClDevice::program_from_binary(const std::string& file) {
  const std::string bytes = read_whole(file, "the device binary");
  std::vector<cl_int> loaded;
  try {
    const cl::Program::Binaries binaries{{bytes.begin(), bytes.end()}};
    return build(cl::Program(context_, {device_}, binaries, &loaded), file, "");
  } catch (const cl::Error& error) {
    const bool told = !loaded.empty() && loaded.front() != CL_SUCCESS;
    throw Error(fmt::format("{}: no binary for the device '{}': {}", file, properties_.name,
                            code_name(told ? loaded.front() : error.err())));
  }
}

std::unique_ptr<Program> OpenClDevice::build(cl::Program program, const std::string& file,
                                             const std::string& options) const {
  try {
    build_for(device_, program, options);
  } catch (const cl::BuildError& error) {
    throw BuildRefused(fmt::format("{}: {} on '{}': {}: {}", file, error.what(), properties_.name,
                                   code_name(error.err()), first_complaint(log_of(error))));
  }
  return make_program(std::move(program), file, properties_.name);
}

Kernel OpenClDevice::kernel(const std::string& name) {
  const std::string file = fmt::format("kernels/{}.cl", name);
  const ProgramSource source{.file = file, .text = read_whole(data_file(file), "the kernel's source")};
  return program({&source, 1}, {})->kernel(name);
}

Time OpenClDevice::access_registers(const RegisterAccess&, int) {
  throw Error(fmt::format("device '{}': OpenCL does not reach its registers, expected a model", properties_.name));
}

HostAccessLatency OpenClDevice::access_host_memory(const HostAccess&) {
  throw Error(fmt::format("device '{}': OpenCL does not let it access the host's memory by itself, expected a model",
                          properties_.name));
}

}  // namespace
}  // namespace opencl

std::unique_ptr<Device> open_opencl(const std::string& target, DevicePart part) {
  const Moment opened = monotonic_now();
  return std::make_unique<opencl::OpenClDevice>(opencl::take_part(opencl::find_device(target), part), target, opened);
}

}  // namespace isthmus::offload
