#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace isthmus::fuzz {

/// A file in memory that is written anew for each input.
class Scratch {
 public:
  Scratch() : file_(memfd_create("platform", 0)), path_("/proc/self/fd/" + std::to_string(file_)) {
    if (file_ < 0) std::abort();
  }
  const std::string& write(std::string_view text) const {
    const bool whole =
        ftruncate(file_, 0) == 0 && pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!whole) std::abort();
    return path_;
  }

 private:
  int file_;
  std::string path_;
};

}  // namespace isthmus::fuzz
