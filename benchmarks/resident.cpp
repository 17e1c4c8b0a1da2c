#include "resident.hpp"

#include <unistd.h>

#include <fstream>

#include "isthmus/base/error.hpp"

namespace isthmus::bench {

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  if (!(statm >> pages >> resident)) throw Error("/proc/self/statm: expected two page counts");
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace isthmus::bench
