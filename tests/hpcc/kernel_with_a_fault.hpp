#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "isthmus/base/data_file.hpp"

namespace isthmus::hpcc {

/// One of our kernels as a user's own file, with statements added at its end that spoil its result.
class KernelWithAFault {
 public:
  KernelWithAFault(const std::string& shipped, const std::string& statements)
      : file_(std::filesystem::temp_directory_path() /
              ("isthmus-" + std::to_string(getpid()) + "-" + std::filesystem::path(shipped).filename().string())) {
    std::ifstream source(data_file(shipped));
    std::string text{std::istreambuf_iterator<char>(source), {}};
    text.insert(text.rfind('}'), statements);
    std::ofstream(file_) << text;
  }
  ~KernelWithAFault() { std::filesystem::remove(file_); }
  KernelWithAFault(const KernelWithAFault&) = delete;
  KernelWithAFault& operator=(const KernelWithAFault&) = delete;

  std::string file() const { return file_.string(); }

 private:
  std::filesystem::path file_;
};

}  // namespace isthmus::hpcc
