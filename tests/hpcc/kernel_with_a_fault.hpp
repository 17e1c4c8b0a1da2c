#pragma once

#include <string>

#include "base/temporary_folder.hpp"
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

  std::string file() const { return folder_ / "kernel.cl"; }

 private:
  explicit KernelWithAFault(const std::string& shipped) : text_(read_text(data_file(shipped))) {}
  KernelWithAFault(const std::string& shipped, const std::string& statements, std::size_t from)
      : KernelWithAFault(shipped) {
    const std::string kernel = "__kernel";
    while ((from = text_.find(kernel, from)) != std::string::npos) {
      from = text_.find('{', from) + 1;
      text_.insert(from, statements);
    }
    write();
  }
  void write() const { write_text(file(), text_); }

  TemporaryFolder folder_;
  std::string text_;
};

}  // namespace isthmus::hpcc
