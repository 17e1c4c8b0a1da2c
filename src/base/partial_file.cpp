#include "isthmus/base/partial_file.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus {

PartialFile::PartialFile(std::filesystem::path file) : file_(std::move(file)), partial_(file_) {
  partial_ += ".partial";
}

PartialFile::~PartialFile() {
  if (finished_) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void PartialFile::finish() {
  std::error_code failure;
  std::filesystem::rename(partial_, file_, failure);
  if (failure) throw Error(fmt::format("{}: {}", file_.string(), failure.message()));
  finished_ = true;
}

}  // namespace isthmus
