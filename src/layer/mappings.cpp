// Mapping and unmapping of buffers and images. A mapping moves its bytes to the host unless it only invalidates them,
// and back when it is unmapped if it was for writing.
#include "layer/command.hpp"
#include "layer/image_size.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

std::uint64_t to_host(cl_map_flags flags, std::uint64_t bytes) {
  return (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0 ? bytes : 0;
}

std::uint64_t to_device(cl_map_flags flags, std::uint64_t bytes) {
  return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0 ? bytes : 0;
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                             size_t size, cl_uint waits, const cl_event* wait, cl_event* event, cl_int* error) {
  void* place = nullptr;
  const RecordedCall call{.kind = Kind::map_buffer,
                          .queue = queue,
                          .bytes = to_host(flags, size),
                          .blocking = blocking != 0,
                          .waits = waits};
  const cl_int result = enqueue(call, event, [&](cl_event* out) {
    cl_int failure = CL_SUCCESS;
    place = driver().clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait, out, &failure);
    return failure;
  });
  if (result == CL_SUCCESS) recorder().mapped(buffer, place, to_device(flags, size));
  if (error != nullptr) *error = result;
  return place;
}

void* CL_API_CALL map_image(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                            const size_t* origin, const size_t* region, size_t* row, size_t* slice, cl_uint waits,
                            const cl_event* wait, cl_event* event, cl_int* error) {
  void* place = nullptr;
  const std::uint64_t bytes = image_bytes(image, region);
  const RecordedCall call{.kind = Kind::map_image,
                          .queue = queue,
                          .bytes = to_host(flags, bytes),
                          .blocking = blocking != 0,
                          .waits = waits};
  const cl_int result = enqueue(call, event, [&](cl_event* out) {
    cl_int failure = CL_SUCCESS;
    place = driver().clEnqueueMapImage(queue, image, blocking, flags, origin, region, row, slice, waits, wait, out,
                                       &failure);
    return failure;
  });
  if (result == CL_SUCCESS) recorder().mapped(image, place, to_device(flags, bytes));
  if (error != nullptr) *error = result;
  return place;
}

cl_int CL_API_CALL svm_map(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void* place, size_t size,
                           cl_uint waits, const cl_event* wait, cl_event* event) {
  const RecordedCall call{
      .kind = Kind::svm_map, .queue = queue, .bytes = to_host(flags, size), .blocking = blocking != 0, .waits = waits};
  const cl_int result = enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueSVMMap(queue, blocking, flags, place, size, waits, wait, out);
  });
  if (result == CL_SUCCESS) recorder().mapped(nullptr, place, to_device(flags, size));
  return result;
}

constexpr auto kUnmap = [](auto, cl_mem object, void* place, auto...) {
  return RecordedCall{.kind = Kind::unmap, .bytes = recorder().unmapped(object, place)};
};

constexpr auto kUnmapShared = [](auto, void* place, auto...) {
  return RecordedCall{.kind = Kind::svm_unmap, .bytes = recorder().unmapped(nullptr, place)};
};

}  // namespace

void wrap_mappings(cl_icd_dispatch& table) {
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueMapImage = map_image;
  record<&cl_icd_dispatch::clEnqueueUnmapMemObject>(table, kUnmap);
  table.clEnqueueSVMMap = svm_map;
  record<&cl_icd_dispatch::clEnqueueSVMUnmap>(table, kUnmapShared);
}

}  // namespace isthmus::layer
