// Reads, writes, copies, fills and moves of buffers.
#include <numeric>

#include "layer/information.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

std::uint64_t volume(const size_t* region) {
  return region == nullptr ? 0 : std::uint64_t{region[0]} * region[1] * region[2];
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                               void* to, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::read_buffer, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, waits, wait, out);
  });
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                                const void* from, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::write_buffer, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from, waits, wait, out);
  });
}

cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                               size_t size, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::copy_buffer, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, waits, wait, out);
  });
}

cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                               size_t offset, size_t size, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::fill_buffer, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, waits, wait, out);
  });
}

cl_int CL_API_CALL read_buffer_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                                    const size_t* host_origin, const size_t* region, size_t row, size_t slice,
                                    size_t host_row, size_t host_slice, void* to, cl_uint waits, const cl_event* wait,
                                    cl_event* event) {
  const Call call{.kind = Kind::read_buffer_rect,
                  .queue = queue,
                  .bytes = volume(region),
                  .blocking = blocking != 0,
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueReadBufferRect(queue, buffer, blocking, origin, host_origin, region, row, slice, host_row,
                                            host_slice, to, waits, wait, out);
  });
}

cl_int CL_API_CALL write_buffer_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                                     const size_t* host_origin, const size_t* region, size_t row, size_t slice,
                                     size_t host_row, size_t host_slice, const void* from, cl_uint waits,
                                     const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::write_buffer_rect,
                  .queue = queue,
                  .bytes = volume(region),
                  .blocking = blocking != 0,
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueWriteBufferRect(queue, buffer, blocking, origin, host_origin, region, row, slice, host_row,
                                             host_slice, from, waits, wait, out);
  });
}

cl_int CL_API_CALL copy_buffer_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                                    const size_t* to_origin, const size_t* region, size_t from_row, size_t from_slice,
                                    size_t to_row, size_t to_slice, cl_uint waits, const cl_event* wait,
                                    cl_event* event) {
  const Call call{.kind = Kind::copy_buffer_rect, .queue = queue, .bytes = volume(region), .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, from_row, from_slice,
                                            to_row, to_slice, waits, wait, out);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_mem_migration_flags flags,
                           cl_uint waits, const cl_event* wait, cl_event* event) {
  const auto size = [](std::uint64_t sum, cl_mem object) {
    return sum + information<size_t>(driver().clGetMemObjectInfo, object, CL_MEM_SIZE, size_t{0});
  };
  const std::uint64_t bytes =
      objects == nullptr ? 0 : std::accumulate(objects, objects + count, std::uint64_t{0}, size);
  const Call call{.kind = Kind::migrate, .queue = queue, .bytes = bytes, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueMigrateMemObjects(queue, count, objects, flags, waits, wait, out);
  });
}

}  // namespace

void wrap_buffers(cl_icd_dispatch& table) {
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueReadBufferRect = read_buffer_rect;
  table.clEnqueueWriteBufferRect = write_buffer_rect;
  table.clEnqueueCopyBufferRect = copy_buffer_rect;
  table.clEnqueueMigrateMemObjects = migrate;
}

}  // namespace isthmus::layer
