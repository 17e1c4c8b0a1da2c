#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/shared/memory.hpp"

namespace isthmus {

/// Objects in the memory that CPU and circuits share, for as long as this lives. What is pinned for them begins on a
/// line; they lie side by side, zeroed at first. Other objects point to them by their addresses.
///
///     struct alignas(32) Node {
///       std::uint64_t value;
///       Address<Node> next;
///     };
///     shared<Node> nodes(machine.memory(), 2);
///     nodes[0] = {.value = 7, .next = nodes.at(1)};
template <class T>
class shared {
  static_assert(std::is_trivially_copyable_v<T>, "a circuit takes the bytes of an object as they are");
  static_assert(std::has_single_bit(sizeof(T)) && sizeof(T) <= 4096 && alignof(T) <= 64,
                "no object of shared memory may cross a page, or a line that is as long: give its type a size that is "
                "a power of two up to 4 KiB, as alignas(32) does");

 public:
  /// Throws Error where the board's page table does not hold so many. `memory` lives longer.
  explicit shared(SharedMemory& memory, std::size_t count = 1)
      : memory_(&memory), count_(count), first_(memory.allocate(size_of(count), sizeof(T))) {}
  shared(shared&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), count_(std::exchange(other.count_, 0)), first_(other.first_) {}
  shared& operator=(shared&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(count_, other.count_);
    std::swap(first_, other.first_);
    return *this;
  }
  ~shared() {
    if (memory_ != nullptr) memory_->release(first_, size_of(count_));
  }

  std::size_t size() const { return count_; }
  /// The address of an object, for circuits, cores and other objects.
  Address<T> at(std::size_t place = 0) const {
    if (place >= count_) throw Error(fmt::format("shared object: expected a place below {}, got {}", count_, place));
    return Address<T>{first_} + place;
  }
  /// The object itself; while a machine runs, only through a core.
  T& operator[](std::size_t place) { return memory_->object(at(place)); }
  T& operator*() { return (*this)[0]; }
  T* operator->() { return &(*this)[0]; }

 private:
  static Bytes size_of(std::size_t count) {
    constexpr std::size_t kMost = std::size_t{1} << 62U;
    return {static_cast<std::int64_t>(count > kMost / sizeof(T) ? kMost : count * sizeof(T))};
  }

  SharedMemory* memory_;
  std::size_t count_;
  std::uint64_t first_;
};

}  // namespace isthmus
