#pragma once

#include <cstdint>

namespace isthmus {

/// The place of the `index`th of `count` bursts: a fixed bijection of [0, count) onto itself in which neighbours are no
/// constant stride apart. kernels/device_read.cl and device_write.cl compute the same.
std::uint32_t scattered(std::uint32_t index, std::uint32_t count);

}  // namespace isthmus
