#include "offload/model/queue.hpp"

#include <fmt/format.h>

#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::offload::model {
namespace {

/// The bits of an argument in a kernel's registers.
struct InRegister {
  const Kernel& kernel;

  std::uint64_t operator()(const Buffer* buffer) const {
    return buffer != nullptr ? kernel_argument(dynamic_cast<const ModelBuffer&>(buffer->object()).at()) : 0;
  }
  std::uint64_t operator()(LocalMemory) const {
    throw Error(fmt::format("kernel '{}': a model has no local memory: expected buffers and numbers", kernel.name()));
  }
  template <class Number>
  std::uint64_t operator()(Number value) const {
    return kernel_argument(value);
  }
};

fabric::KernelCall kernel_call(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments) {
  if (arguments.size() > fabric::kMostArguments)
    throw Error(fmt::format("a launch with {} arguments: a kernel's registers hold {}", arguments.size(),
                            fabric::kMostArguments));
  fabric::KernelCall call{.arguments = {},
                          .columns = static_cast<std::uint32_t>(range.global[0]),
                          .rows = static_cast<std::uint32_t>(range.global[1])};
  for (const Argument& argument : arguments) call.arguments.push_back(std::visit(InRegister{kernel}, argument));
  return call;
}

}  // namespace

Event ModelQueue::launch(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments,
                         const Events& after) {
  if (range.global[2] != 1) throw at_work_.refused("work-items in three dimensions");
  const std::size_t index = dynamic_cast<const ModelKernel&>(kernel.object()).index();
  return last(at_work_.thread().launch(id_, index, kernel_call(kernel, range, arguments), behind(after)));
}

void ModelQueue::write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) {
  if (!from.empty()) start_write(to, offset, from, {}).wait();
}

void ModelQueue::read(const Buffer& from, std::size_t offset, std::span<std::byte> to) {
  if (!to.empty()) start_read(from, offset, to, {}).wait();
}

Event ModelQueue::start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                              const Events& after) {
  return last(at_work_.thread().write(id_, {to, offset}, from, behind(after)));
}

Event ModelQueue::start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to, const Events& after) {
  return last(at_work_.thread().read(id_, {from, offset}, to, behind(after)));
}

Event ModelQueue::copy(const Buffer&, std::size_t, const Buffer&, std::size_t, std::size_t) {
  throw at_work_.refused("a copy within the device's memory");
}

Event ModelQueue::copy_box(const Buffer&, const BoxPlace&, const Buffer&, const BoxPlace&, const BoxSize&) {
  throw at_work_.refused("a copy within the device's memory");
}

StartedMap ModelQueue::start_map(const Buffer&) {
  throw at_work_.refused("a buffer mapped to the host");
}

Event ModelQueue::fill(const Buffer&, std::span<const std::byte>) {
  throw at_work_.refused("a fill of the device's memory");
}

Event ModelQueue::after(const Events& events) {
  awaited_ = behind(events);
  Events all = awaited_;
  if (last_) all.push_back(last_);
  return Event(std::make_shared<JoinedEvents>(std::move(all)));
}

/// The events after which the next command begins: these, and those of `after`.
Events ModelQueue::behind(const Events& after) {
  Events all = std::exchange(awaited_, {});
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

Event ModelQueue::last(Event event) {
  last_ = event;
  return event;
}

}  // namespace isthmus::offload::model
