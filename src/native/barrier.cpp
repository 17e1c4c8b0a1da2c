#include "native/barrier.hpp"

#include <fmt/format.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::native {
namespace {

void membarrier(int command) {
  if (syscall(SYS_membarrier, command, 0, 0) != 0)
    throw Error(fmt::format("native: membarrier: {} (Linux 4.14 or later is needed)", std::strerror(errno)));
}

}  // namespace

void prepare_barrier() {
  membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

void barrier_on_all_cores() {
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace isthmus::native
