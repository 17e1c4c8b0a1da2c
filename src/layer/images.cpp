// Reads, writes, copies and fills of images.
#include "layer/command.hpp"
#include "layer/image_size.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

/// A transfer between memory of the program and an image.
template <Kind Of>
constexpr auto kTransfer = [](auto, cl_mem image, cl_bool blocking, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Of, .bytes = image_bytes(image, region), .blocking = blocking != 0};
};

constexpr auto kCopy = [](auto, cl_mem from, cl_mem /*to*/, auto, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Kind::copy_image, .bytes = image_bytes(from, region)};
};

constexpr auto kFill = [](auto, cl_mem image, const void* /*color*/, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Kind::fill_image, .bytes = image_bytes(image, region)};
};

constexpr auto kToBuffer = [](auto, cl_mem image, cl_mem /*buffer*/, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Kind::copy_image_to_buffer, .bytes = image_bytes(image, region)};
};

constexpr auto kFromBuffer = [](auto, cl_mem /*buffer*/, cl_mem image, size_t, auto, const size_t* region, auto...) {
  return RecordedCall{.kind = Kind::copy_buffer_to_image, .bytes = image_bytes(image, region)};
};

}  // namespace

void wrap_images(cl_icd_dispatch& table) {
  record<&cl_icd_dispatch::clEnqueueReadImage>(table, kTransfer<Kind::read_image>);
  record<&cl_icd_dispatch::clEnqueueWriteImage>(table, kTransfer<Kind::write_image>);
  record<&cl_icd_dispatch::clEnqueueCopyImage>(table, kCopy);
  record<&cl_icd_dispatch::clEnqueueFillImage>(table, kFill);
  record<&cl_icd_dispatch::clEnqueueCopyImageToBuffer>(table, kToBuffer);
  record<&cl_icd_dispatch::clEnqueueCopyBufferToImage>(table, kFromBuffer);
}

}  // namespace isthmus::layer
