#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isthmus/base/units.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// The registers through which host and FPGA hand entries to each other: each is the end of a queue.
namespace isthmus {

enum class Register : std::uint64_t {
  available_input = 0x000,  ///< store a PoolEntry
  free_output = 0x040,      ///< store a PoolEntry
  to_kernel = 0x080,        ///< store a control message
  freed_input = 0x0c0,      ///< load an Optional<PoolEntry>
  filled_output = 0x100,    ///< load an Optional<PoolEntry>
  from_kernel = 0x140,      ///< load an Optional<ControlMessage>
};

/// What a load of an empty queue brings as well.
template <class T>
struct Optional {
  T value;
  std::uint32_t there;
  Time came;  ///< time at which the entry was queued; no hardware tells it, the porter's sum of waits needs it
};

constexpr std::uint8_t kLoadBytes = 32;

template <class T>
MmioRequest store_to(Register place, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(MmioRequest::data));
  MmioRequest request{.kind = MmioRequest::Kind::store,
                      .bytes = sizeof(T),
                      .tag = 0,
                      .addr = static_cast<std::uint64_t>(place),
                      .data = {}};
  std::memcpy(request.data.data(), &value, sizeof(T));
  return request;
}

inline MmioRequest load_from(Register place) {
  return {.kind = MmioRequest::Kind::load,
          .bytes = kLoadBytes,
          .tag = 0,
          .addr = static_cast<std::uint64_t>(place),
          .data = {}};
}

/// What a store or a reply carries.
template <class T, class Message>
T content(const Message& message) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(message.data));
  T value;
  std::memcpy(&value, message.data.data(), sizeof(T));
  return value;
}

}  // namespace isthmus
