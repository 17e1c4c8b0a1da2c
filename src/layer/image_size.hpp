#pragma once

#include <cstdint>

#include "layer/information.hpp"

namespace isthmus::layer {

/// Bytes of a region of an image, without padding.
inline std::uint64_t image_bytes(cl_mem image, const size_t* region) {
  if (region == nullptr) return 0;
  const auto element = information<size_t>(driver().clGetImageInfo, image, CL_IMAGE_ELEMENT_SIZE, size_t{0});
  return std::uint64_t{region[0]} * region[1] * region[2] * element;
}

}  // namespace isthmus::layer
