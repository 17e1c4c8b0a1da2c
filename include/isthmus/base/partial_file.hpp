#pragma once

#include <filesystem>

namespace isthmus {

/// The place of a file that is there once it is whole: what is written goes to `path() + ".partial"`, which is removed
/// where the file is not finished.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path file);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  const std::filesystem::path& path() const { return file_; }
  const std::filesystem::path& partial() const { return partial_; }
  /// Puts it in its place, once it is closed. Throws Error naming the file where the system refuses.
  void finish();

 private:
  std::filesystem::path file_;
  std::filesystem::path partial_;
  bool finished_ = false;
};

}  // namespace isthmus
