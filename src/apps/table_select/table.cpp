#include "apps/table_select/table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "apps/table_select/rows.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

/// Rows that are read at once where all of a file is.
constexpr std::size_t kStretch = 1U << 14U;

}  // namespace

void Table::read(std::int64_t first, std::span<std::byte> to) const {
  const std::int64_t here =
      std::clamp<std::int64_t>(rows() - first, 0, static_cast<std::int64_t>(to.size() / kRowBytes));
  const auto own = static_cast<std::size_t>(here) * kRowBytes;
  if (own > 0) read_own(first, to.first(own));
  for (auto rest = to.subspan(own); !rest.empty(); rest = rest.subspan(kRowBytes)) {
    std::memset(rest.data(), 0, kRowBytes);
    std::memcpy(rest.data(), &kNoKey, sizeof(kNoKey));
  }
}

FileTable::FileTable(const std::filesystem::path& file) : file_(file), open_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (open_.number < 0 || fstat(open_.number, &status) != 0) refuse(file, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(file, "expected a file of rows, got something else");
  rows_ = status.st_size / static_cast<std::int64_t>(kRowBytes);
  if (status.st_size % static_cast<std::int64_t>(kRowBytes) != 0)
    refuse(file, fmt::format("expected rows of {} B, got {} B behind row {}", kRowBytes,
                             status.st_size % static_cast<std::int64_t>(kRowBytes), rows_));
  if (rows_ == 0) refuse(file, fmt::format("expected rows of {} B, got an empty file", kRowBytes));
}

FileTable::Descriptor::~Descriptor() {
  if (number >= 0) close(number);
}

void FileTable::read_own(std::int64_t first, std::span<std::byte> to) const {
  auto at = static_cast<off_t>(first) * static_cast<off_t>(kRowBytes);
  while (!to.empty()) {
    const ssize_t got = pread(open_.number, to.data(), to.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(file_, std::strerror(errno));
    if (got == 0)
      refuse(file_, fmt::format("expected {} rows, as when it was opened, got its end at byte {}", rows_, at));
    to = to.subspan(static_cast<std::size_t>(got));
    at += got;
  }
}

std::vector<std::int64_t> FileTable::keys() const {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(rows_));
  std::vector<std::byte> stretch(std::min(keys.size(), kStretch) * kRowBytes);
  for (std::size_t first = 0; first < keys.size(); first += kStretch) {
    stop_if_interrupted();
    const std::size_t count = std::min(kStretch, keys.size() - first);
    read_own(static_cast<std::int64_t>(first), std::span(stretch).first(count * kRowBytes));
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(&keys[first + i], stretch.data() + i * kRowBytes, sizeof(std::int64_t));
  }
  return keys;
}

std::int64_t FileTable::bound_of(double share) const {
  const auto kept = static_cast<std::int64_t>(std::llround(share * static_cast<double>(rows_)));
  if (kept == rows_) return kNoKey;
  std::vector<std::int64_t> all = keys();
  const auto at = all.begin() + kept;
  std::ranges::nth_element(all, at);
  return *at;
}

GeneratedTable::GeneratedTable(std::uint64_t seed, std::int64_t rows)
    : rows_(rows), bytes_(static_cast<std::size_t>(rows) * kRowBytes) {
  for (std::size_t at = 0, index = 0; at < bytes_.size(); at += sizeof(std::uint64_t), ++index) {
    std::uint64_t word = random_word(seed, 0, index);
    if (at % kRowBytes == 0) word >>= 1U;
    std::memcpy(bytes_.data() + at, &word, sizeof(word));
  }
}

std::int64_t GeneratedTable::bound_of(double share) {
  return share == 1 ? kNoKey : static_cast<std::int64_t>(std::ldexp(share, 63));
}

void GeneratedTable::read_own(std::int64_t first, std::span<std::byte> to) const {
  std::memcpy(to.data(), bytes_.data() + static_cast<std::size_t>(first) * kRowBytes, to.size());
}

RowWriter::RowWriter(std::filesystem::path file) : file_(std::move(file)) {
  begin();
}

void RowWriter::begin() {
  open_.reset();
  open_.reset(std::fopen(file_.partial().c_str(), "wb"));
  if (open_ == nullptr) refuse(errno);
}

void RowWriter::write(std::span<const std::byte> rows) {
  if (std::fwrite(rows.data(), 1, rows.size(), open_.get()) != rows.size()) refuse(errno);
}

void RowWriter::finish() {
  if (std::fclose(open_.release()) != 0) refuse(errno);
  file_.finish();
}

void RowWriter::refuse(int error) const {
  apps::refuse(file_.path(), std::strerror(error));
}

}  // namespace isthmus::apps
