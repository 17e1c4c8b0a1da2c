// Reads, writes, copies and fills of images.
#include "layer/image_size.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

cl_int CL_API_CALL read_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                              const size_t* region, size_t row, size_t slice, void* to, cl_uint waits,
                              const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::read_image,
                  .queue = queue,
                  .bytes = image_bytes(image, region),
                  .blocking = blocking != 0,
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueReadImage(queue, image, blocking, origin, region, row, slice, to, waits, wait, out);
  });
}

cl_int CL_API_CALL write_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                               const size_t* region, size_t row, size_t slice, const void* from, cl_uint waits,
                               const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::write_image,
                  .queue = queue,
                  .bytes = image_bytes(image, region),
                  .blocking = blocking != 0,
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueWriteImage(queue, image, blocking, origin, region, row, slice, from, waits, wait, out);
  });
}

cl_int CL_API_CALL copy_image(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                              const size_t* to_origin, const size_t* region, cl_uint waits, const cl_event* wait,
                              cl_event* event) {
  const Call call{.kind = Kind::copy_image, .queue = queue, .bytes = image_bytes(from, region), .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueCopyImage(queue, from, to, from_origin, to_origin, region, waits, wait, out);
  });
}

cl_int CL_API_CALL fill_image(cl_command_queue queue, cl_mem image, const void* color, const size_t* origin,
                              const size_t* region, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::fill_image, .queue = queue, .bytes = image_bytes(image, region), .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueFillImage(queue, image, color, origin, region, waits, wait, out);
  });
}

cl_int CL_API_CALL copy_image_to_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t* origin,
                                        const size_t* region, size_t offset, cl_uint waits, const cl_event* wait,
                                        cl_event* event) {
  const Call call{
      .kind = Kind::copy_image_to_buffer, .queue = queue, .bytes = image_bytes(image, region), .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset, waits, wait, out);
  });
}

cl_int CL_API_CALL copy_buffer_to_image(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                        const size_t* origin, const size_t* region, cl_uint waits, const cl_event* wait,
                                        cl_event* event) {
  const Call call{
      .kind = Kind::copy_buffer_to_image, .queue = queue, .bytes = image_bytes(image, region), .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region, waits, wait, out);
  });
}

}  // namespace

void wrap_images(cl_icd_dispatch& table) {
  table.clEnqueueReadImage = read_image;
  table.clEnqueueWriteImage = write_image;
  table.clEnqueueCopyImage = copy_image;
  table.clEnqueueFillImage = fill_image;
  table.clEnqueueCopyImageToBuffer = copy_image_to_buffer;
  table.clEnqueueCopyBufferToImage = copy_buffer_to_image;
}

}  // namespace isthmus::layer
