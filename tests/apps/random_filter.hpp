#pragma once

#include <rapidcheck.h>

#include <vector>

#include "isthmus/apps/filter.hpp"

namespace isthmus::apps {

/// Any filter: coefficients of the whole 16-bit range or small ones, any shift.
inline rc::Gen<FilterSpec> random_filter() {
  return rc::gen::exec([] {
    const int bound = *rc::gen::element(4, 300, 32768);
    FilterSpec spec{.shift = *rc::gen::inRange(0, 32)};
    for (auto& channel : spec.coefficients)
      for (auto& coefficient : channel) coefficient = static_cast<std::int16_t>(*rc::gen::inRange(-bound, bound));
    return spec;
  });
}

inline rc::Gen<std::vector<std::byte>> random_pixels(ImageSize size) {
  const auto byte = rc::gen::map(rc::gen::inRange(0, 256), [](int value) { return static_cast<std::byte>(value); });
  return rc::gen::container<std::vector<std::byte>>(size.bytes(), byte);
}

}  // namespace isthmus::apps
