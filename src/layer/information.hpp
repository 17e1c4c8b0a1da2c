#pragma once

#include <string>

#include "layer/opencl.hpp"

namespace isthmus::layer {

/// A property of an object, or the value of `otherwise` where the driver does not tell.
template <class Value, class Query, class Object>
Value information(const Query& query, Object object, cl_uint name, Value otherwise) {
  Value value{};
  return query(object, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

/// A text of an object, empty where the driver does not tell.
template <class Query, class Object>
std::string text_of(const Query& query, Object object, cl_uint name) {
  std::size_t size = 0;
  if (query(object, name, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (query(object, name, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

}  // namespace isthmus::layer
