// Buffers and images: those that have their content from the start move it, all others take room.
#include "layer/information.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

std::uint64_t whole(cl_mem object) {
  return information<size_t>(driver().clGetMemObjectInfo, object, CL_MEM_SIZE, size_t{0});
}

template <class Run>
cl_mem make_buffer(cl_mem_flags flags, cl_int* error, const Run& run) {
  const bool content = (flags & CL_MEM_COPY_HOST_PTR) != 0;
  return create({.kind = content ? Kind::create_buffer_with_content : Kind::create_buffer}, error, run, whole);
}

template <class Run>
cl_mem make_image(cl_mem_flags flags, cl_int* error, const Run& run) {
  const bool content = (flags & CL_MEM_COPY_HOST_PTR) != 0;
  return create({.kind = content ? Kind::create_image_with_content : Kind::create_image}, error, run, whole);
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* content, cl_int* error) {
  return make_buffer(flags, error,
                     [&](cl_int* failure) { return driver().clCreateBuffer(context, flags, size, content, failure); });
}

cl_mem CL_API_CALL create_buffer_with_properties(cl_context context, const cl_mem_properties* properties,
                                                 cl_mem_flags flags, size_t size, void* content, cl_int* error) {
  return make_buffer(flags, error, [&](cl_int* failure) {
    return driver().clCreateBufferWithProperties(context, properties, flags, size, content, failure);
  });
}

cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* region,
                                     cl_int* error) {
  return create(
      {.kind = Kind::create_sub_buffer}, error,
      [&](cl_int* failure) { return driver().clCreateSubBuffer(buffer, flags, type, region, failure); }, whole);
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* shape, void* content, cl_int* error) {
  return make_image(flags, error, [&](cl_int* failure) {
    return driver().clCreateImage(context, flags, format, shape, content, failure);
  });
}

cl_mem CL_API_CALL create_image_with_properties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, const cl_image_format* format,
                                                const cl_image_desc* shape, void* content, cl_int* error) {
  return make_image(flags, error, [&](cl_int* failure) {
    return driver().clCreateImageWithProperties(context, properties, flags, format, shape, content, failure);
  });
}

cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t row, void* content, cl_int* error) {
  return make_image(flags, error, [&](cl_int* failure) {
    return driver().clCreateImage2D(context, flags, format, width, height, row, content, failure);
  });
}

cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t depth, size_t row, size_t slice, void* content,
                                   cl_int* error) {
  return make_image(flags, error, [&](cl_int* failure) {
    return driver().clCreateImage3D(context, flags, format, width, height, depth, row, slice, content, failure);
  });
}

}  // namespace

void wrap_objects(cl_icd_dispatch& table) {
  table.clCreateBuffer = create_buffer;
  table.clCreateBufferWithProperties = create_buffer_with_properties;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clCreateImage = create_image;
  table.clCreateImageWithProperties = create_image_with_properties;
  table.clCreateImage2D = create_image_2d;
  table.clCreateImage3D = create_image_3d;
}

}  // namespace isthmus::layer
