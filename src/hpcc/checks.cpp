#include "hpcc/checks.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

void require_room(const Job& job, const char* name, std::size_t bytes, const char* memory, std::int64_t room) {
  if (bytes > static_cast<std::size_t>(room))
    throw Error(fmt::format("{}: needs {} bytes of {}, device '{}' has {}", with_value(job, name), bytes, memory,
                            job.conditions().device.name, room));
}

}  // namespace

std::size_t integer(const Job& job, const char* name) {
  return static_cast<std::size_t>(job.parameters().integer(name));
}

std::string with_value(const Job& job, const char* name) {
  return fmt::format("{}={}", name, integer(job, name));
}

void require_local_memory(const Job& job, const char* name, std::size_t bytes) {
  if (!job.precompiled()) require_room(job, name, bytes, "local memory", job.conditions().device.local_memory);
}

std::size_t require_memory(const Job& job, const char* name, std::size_t bytes) {
  require_room(job, name, bytes, "memory", job.memory_limit());
  return bytes;
}

}  // namespace isthmus::hpcc
