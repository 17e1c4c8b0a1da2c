#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "isthmus/base/data_file.hpp"

namespace isthmus::hpcc {

/// One of our kernels as a user's own file, with a fault.
class KernelWithAFault {
 public:
  /// Adds statements at the end of the kernel that spoil its result.
  KernelWithAFault(const std::string& shipped, const std::string& statements) : KernelWithAFault(shipped) {
    text_.insert(text_.rfind('}'), statements);
    write();
  }
  /// Puts `wrong` in place of `right`, which the kernel contains once.
  KernelWithAFault(const std::string& shipped, const std::string& right, const std::string& wrong)
      : KernelWithAFault(shipped) {
    text_.replace(text_.find(right), right.size(), wrong);
    write();
  }
  /// Adds statements at the start of each of its kernels.
  static KernelWithAFault at_the_start(const std::string& shipped, const std::string& statements) {
    return KernelWithAFault(shipped, statements, 0);
  }
  ~KernelWithAFault() { std::filesystem::remove(file_); }
  KernelWithAFault(const KernelWithAFault&) = delete;
  KernelWithAFault& operator=(const KernelWithAFault&) = delete;

  std::string file() const { return file_.string(); }

 private:
  explicit KernelWithAFault(const std::string& shipped)
      : file_(std::filesystem::temp_directory_path() /
              ("isthmus-" + std::to_string(getpid()) + "-" + std::filesystem::path(shipped).filename().string())) {
    std::ifstream source(data_file(shipped));
    text_.assign(std::istreambuf_iterator<char>(source), {});
  }
  KernelWithAFault(const std::string& shipped, const std::string& statements, std::size_t from)
      : KernelWithAFault(shipped) {
    const std::string kernel = "__kernel";
    while ((from = text_.find(kernel, from)) != std::string::npos) {
      from = text_.find('{', from) + 1;
      text_.insert(from, statements);
    }
    write();
  }
  void write() const { std::ofstream(file_) << text_; }

  std::filesystem::path file_;
  std::string text_;
};

}  // namespace isthmus::hpcc
