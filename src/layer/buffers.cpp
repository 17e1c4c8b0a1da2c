// Reads, writes, copies, fills and moves of buffers.
#include <numeric>

#include "layer/command.hpp"
#include "layer/information.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

std::uint64_t volume(const size_t* region) {
  return region == nullptr ? 0 : std::uint64_t{region[0]} * region[1] * region[2];
}

/// A transfer between memory of the program and a buffer.
template <Kind Of>
constexpr auto kTransfer = [](auto, auto, cl_bool blocking, size_t /*offset*/, size_t size, auto...) {
  return RecordedCall{.kind = Of, .bytes = size, .blocking = blocking != 0};
};
template <Kind Of>
constexpr auto kTransferOfRect = [](auto, auto, cl_bool blocking, auto, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Of, .bytes = volume(region), .blocking = blocking != 0};
};

constexpr auto kCopy = [](auto, cl_mem, cl_mem, size_t /*from*/, size_t /*to*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::copy_buffer, .bytes = size};
};

constexpr auto kCopyOfRect = [](auto, cl_mem, cl_mem, auto, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Kind::copy_buffer_rect, .bytes = volume(region)};
};

constexpr auto kFill = [](auto, auto, const void* /*pattern*/, size_t, size_t /*offset*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::fill_buffer, .bytes = size};
};

constexpr auto kMigration = [](auto, cl_uint count, const cl_mem* objects, auto...) {
  const auto size = [](std::uint64_t sum, cl_mem object) {
    return sum + information<size_t>(driver().clGetMemObjectInfo, object, CL_MEM_SIZE, size_t{0});
  };
  const std::uint64_t bytes =
      objects == nullptr ? 0 : std::accumulate(objects, objects + count, std::uint64_t{0}, size);
  return RecordedCall{.kind = Kind::migrate, .bytes = bytes};
};

}  // namespace

void wrap_buffers(cl_icd_dispatch& table) {
  record<&cl_icd_dispatch::clEnqueueReadBuffer>(table, kTransfer<Kind::read_buffer>);
  record<&cl_icd_dispatch::clEnqueueWriteBuffer>(table, kTransfer<Kind::write_buffer>);
  record<&cl_icd_dispatch::clEnqueueCopyBuffer>(table, kCopy);
  record<&cl_icd_dispatch::clEnqueueFillBuffer>(table, kFill);
  record<&cl_icd_dispatch::clEnqueueReadBufferRect>(table, kTransferOfRect<Kind::read_buffer_rect>);
  record<&cl_icd_dispatch::clEnqueueWriteBufferRect>(table, kTransferOfRect<Kind::write_buffer_rect>);
  record<&cl_icd_dispatch::clEnqueueCopyBufferRect>(table, kCopyOfRect);
  record<&cl_icd_dispatch::clEnqueueMigrateMemObjects>(table, kMigration);
}

}  // namespace isthmus::layer
