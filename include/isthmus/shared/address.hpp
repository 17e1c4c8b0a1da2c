#pragma once

#include <cstdint>

namespace isthmus {

/// The place of an object in the memory that CPU and circuits share. It means the same to both, so that it may stand in
/// that memory itself; zeroed memory holds null addresses.
template <class T>
struct Address {
  std::uint64_t value = 0;

  explicit operator bool() const { return value != 0; }
  /// The address of the object so many objects further.
  Address operator+(std::uint64_t objects) const { return {value + objects * sizeof(T)}; }
  friend bool operator==(const Address&, const Address&) = default;
};

}  // namespace isthmus
