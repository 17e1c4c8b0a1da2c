// Buffers and images: those that have their content from the start move it, all others take room.
#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

bool has_content(cl_mem_flags flags) {
  return (flags & CL_MEM_COPY_HOST_PTR) != 0;
}

RecordedCall of_buffer(cl_mem_flags flags) {
  return {.kind = has_content(flags) ? Kind::create_buffer_with_content : Kind::create_buffer};
}

RecordedCall of_image(cl_mem_flags flags) {
  return {.kind = has_content(flags) ? Kind::create_image_with_content : Kind::create_image};
}

constexpr auto kBuffer = [](auto, cl_mem_flags flags, auto...) { return of_buffer(flags); };
constexpr auto kBufferWithProperties = [](auto, auto, cl_mem_flags flags, auto...) { return of_buffer(flags); };
constexpr auto kImage = [](auto, cl_mem_flags flags, auto...) { return of_image(flags); };
constexpr auto kImageWithProperties = [](auto, auto, cl_mem_flags flags, auto...) { return of_image(flags); };

}  // namespace

void wrap_objects(cl_icd_dispatch& table) {
  record<&cl_icd_dispatch::clCreateBuffer, Creation>(table, kBuffer);
  record<&cl_icd_dispatch::clCreateBufferWithProperties, Creation>(table, kBufferWithProperties);
  record<&cl_icd_dispatch::clCreateSubBuffer, Creation>(table, kOnly<Kind::create_sub_buffer>);
  record<&cl_icd_dispatch::clCreateImage, Creation>(table, kImage);
  record<&cl_icd_dispatch::clCreateImageWithProperties, Creation>(table, kImageWithProperties);
  record<&cl_icd_dispatch::clCreateImage2D, Creation>(table, kImage);
  record<&cl_icd_dispatch::clCreateImage3D, Creation>(table, kImage);
}

}  // namespace isthmus::layer
