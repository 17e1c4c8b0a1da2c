#include "flows/offload/kernel_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "application/run.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// One buffer for all of a message where the kernel does not say how it is cut; else the sizes, which make it up.
std::vector<std::size_t> cut(const std::vector<std::size_t>& sizes, std::size_t message, const std::string& what) {
  if (sizes.empty() && message == 0) return {};
  if (sizes.empty()) return {message};
  const std::size_t sum = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  if (sum != message)
    throw Error(fmt::format("buffers of the {}: expected {} bytes in all, a message, got {}", what, message, sum));
  return sizes;
}

std::vector<offload::Buffer> allocate(offload::Device& device, const std::vector<std::size_t>& sizes) {
  std::vector<offload::Buffer> buffers;
  buffers.reserve(sizes.size());
  for (const std::size_t size : sizes) buffers.push_back(device.buffer(size));
  return buffers;
}

/// Pins buffers; gives none for a buffer whose bytes are pageable.
std::vector<std::optional<offload::PinnedBuffer>> pin(offload::Device& device, const std::vector<std::size_t>& sizes,
                                                      const std::vector<bool>& pinned) {
  std::vector<std::optional<offload::PinnedBuffer>> buffers(sizes.size());
  for (std::size_t i = 0; i < pinned.size(); ++i)
    if (pinned[i]) buffers.at(i) = device.pinned(sizes[i]);
  return buffers;
}

offload::Event complete(offload::Event event) {
  event.wait();
  return event;
}

template <class Buffers>
const offload::Buffer* buffer(const Buffers& of, std::size_t index, const char* what) {
  if (index < of.size()) return &of[index];
  throw Error(
      fmt::format("argument of a kernel: expected one of {} {} buffers, got number {}", of.size(), what, index));
}

}  // namespace

KernelOnDevice::KernelOnDevice(offload::Device& device, const ByteApplication& application, std::size_t messages,
                               std::size_t threads)
    : description_(device_kernel_of(application)) {
  for (std::size_t thread = 0; thread < threads; ++thread)
    sides_.push_back({.kernel = device.kernel(description_.twin.name), .scratch = {}});
  description_.inputs = cut(description_.inputs, application.input, "input");
  description_.outputs = cut(description_.outputs, application.output, "output");
  if (description_.length_last && description_.outputs.size() != 2)
    throw Error(fmt::format("buffers of the output: expected two, the second with the length of the first, got {}",
                            description_.outputs.size()));
  for (std::size_t i = 0; i < messages; ++i) {
    auto out = allocate(device, description_.outputs);
    slots_.push_back({.in = allocate(device, description_.inputs),
                      .out = std::move(out),
                      .pinned_in = pin(device, description_.inputs, description_.pinned_inputs),
                      .pinned_out = pin(device, description_.outputs, description_.pinned_outputs)});
  }
  for (const auto& constant : description_.constants) constants_.push_back(device.buffer(constant.size()));
  if (const auto& memory = application.extras.memory) image_ = device.buffer(memory->bytes);
  for (Side& side : sides_) side.scratch = allocate(device, description_.scratch);
  arguments(description_.arguments, 0);
  for (const auto& each : description_.further) arguments(each, 0);
  if (!constants_.empty() || image_) set_up(device, application);
}

void KernelOnDevice::set_up(offload::Device& device, const ByteApplication& application) {
  std::vector<std::byte> image;
  if (const auto& memory = application.extras.memory) {
    image.resize(memory->bytes);
    memory->fill(0, image);
  }
  const auto queue = device.queue();
  device.run([&] {
    for (std::size_t i = 0; i < constants_.size(); ++i) queue->write(constants_[i], 0, description_.constants[i]);
    if (image_) queue->write(*image_, 0, image);
  });
}

KernelOnDevice::Events KernelOnDevice::write(offload::Queue& queue, int message, std::span<const std::byte> from,
                                             Events after) const {
  Events events;
  for (std::size_t i = 0; i < description_.inputs.size(); ++i) {
    const std::size_t size = description_.inputs[i];
    const Slot& of = slot(message);
    std::span<const std::byte> lies = from.first(size);
    if (const auto& pinned = of.pinned_in[i]) {
      std::ranges::copy(lies, pinned->bytes().begin());
      lies = pinned->bytes().first(size);
    }
    events.push_back(complete(queue.start_write(of.in[i], 0, lies, std::exchange(after, {}))));
    from = from.subspan(size);
  }
  return events;
}

KernelOnDevice::Events KernelOnDevice::launch(offload::Queue& queue, int message, Events after) const {
  Events events;
  const auto add = [&](const std::vector<KernelArgument>& of) {
    const offload::NdRange range{.global = {description_.columns, description_.rows, 1}};
    events.push_back(queue.launch(side(message).kernel, range, arguments(of, message), std::exchange(after, {})));
  };
  add(description_.arguments);
  for (const auto& each : description_.further) add(each);
  queue.flush();
  return events;
}

KernelOnDevice::Events KernelOnDevice::read_with_length(offload::Queue& queue, int message, std::span<std::byte> to,
                                                        Events after) const {
  const Buffers& out = slot(message).out;
  std::vector<std::byte> last(description_.outputs[1]);
  Events events{complete(queue.start_read(out[1], 0, last, after))};
  std::uint64_t length = 0;
  std::memcpy(&length, last.data(), sizeof(length));
  if (length > description_.outputs[0])
    throw Error(fmt::format("message {}: expected at most {} bytes of output, as kernel {} tells, got {}", message,
                            description_.outputs[0], description_.twin.name, length));
  if (length > 0) events.push_back(complete(queue.start_read(out[0], 0, to.first(length))));
  std::ranges::copy(last, to.subspan(length).begin());
  std::ranges::fill(to.subspan(length + last.size()), std::byte{});
  return events;
}

KernelOnDevice::Events KernelOnDevice::read(offload::Queue& queue, int message, std::span<std::byte> to,
                                            Events after) const {
  if (description_.length_last) return read_with_length(queue, message, to, std::move(after));
  Events events;
  for (std::size_t i = 0; i < description_.outputs.size(); ++i) {
    const std::size_t size = description_.outputs[i];
    const Slot& of = slot(message);
    const auto& pinned = of.pinned_out[i];
    const auto lies = pinned ? pinned->bytes().first(size) : to.first(size);
    events.push_back(complete(queue.start_read(of.out[i], 0, lies, std::exchange(after, {}))));
    if (pinned) std::ranges::copy(lies, to.begin());
    to = to.subspan(size);
  }
  return events;
}

std::vector<offload::Argument> KernelOnDevice::arguments(const std::vector<KernelArgument>& of, int message) const {
  std::vector<offload::Argument> all;
  all.reserve(of.size());
  for (const KernelArgument& each : of) all.push_back(argument(each, message));
  return all;
}

offload::Argument KernelOnDevice::argument(const KernelArgument& of, int message) const {
  struct Chosen {
    const Slot& slot;
    const Buffers& constants;
    const Buffers& scratch;
    const offload::Buffer* image;
    offload::Argument operator()(InputBuffer at) const { return buffer(slot.in, at.index, "input"); }
    offload::Argument operator()(OutputBuffer at) const { return buffer(slot.out, at.index, "output"); }
    offload::Argument operator()(ConstantBuffer at) const { return buffer(constants, at.index, "constant"); }
    offload::Argument operator()(ScratchBuffer at) const { return buffer(scratch, at.index, "scratch"); }
    offload::Argument operator()(ImageBuffer) const {
      if (image != nullptr) return image;
      throw Error("argument of a kernel: expected an image in device memory of its application, got none");
    }
    offload::Argument operator()(std::int32_t value) const { return value; }
  };
  return std::visit(Chosen{slot(message), constants_, side(message).scratch, image_ ? &*image_ : nullptr}, of);
}

}  // namespace isthmus::program
