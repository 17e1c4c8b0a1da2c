#include "layer/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace isthmus::layer {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr int kMostFiles = 1000;  // journals of processes that got the same number one after the other

std::uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

int new_file(const std::string& folder) {
  for (int number = 0; number < kMostFiles; ++number) {
    const std::string path = folder + "/" + std::to_string(getpid()) + "-" + std::to_string(number) + ".journal";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

}  // namespace

std::uint64_t now() {
  return nanoseconds(CLOCK_MONOTONIC);
}

Journal& journal() {
  static auto* const only = new Journal;
  return *only;
}

void Journal::append_text(Text what, std::uint32_t id, std::string_view text, std::uint32_t detail) {
  std::uint32_t part = 0;
  do {
    const std::string_view piece = text.substr(0, sizeof(TextSlot::text));
    append<TextSlot>(SlotType::text, [&](TextSlot& slot) {
      slot.what = static_cast<std::uint8_t>(what);
      slot.id = id;
      slot.part = part++;
      slot.detail = detail;
      slot.length = static_cast<std::uint16_t>(piece.size());
      std::ranges::copy(piece, slot.text.begin());
    });
    text.remove_prefix(piece.size());
  } while (!text.empty());
}

void Journal::ended() {
  const std::lock_guard guard(lock_);
  if (process_ != nullptr) process_->ended = now();
}

void Journal::lost() {
  const std::lock_guard guard(lock_);
  if (process_ != nullptr) ++process_->lost;
}

void Journal::after_fork_in_child() {
  close();
  failed_ = false;
  generation_.fetch_add(1, std::memory_order_relaxed);
  lock_.unlock();
}

unsigned char* Journal::room() {
  if (file_ < 0 && !failed_ && !open()) give_up("cannot be made");
  if (used_ == kPiece && !failed_ && !map_next_piece()) give_up("cannot grow");
  if (failed_) {
    if (process_ != nullptr) ++process_->lost;
    return nullptr;
  }
  unsigned char* const place = piece_ + used_;
  used_ += kSlotSize;
  return place;
}

bool Journal::open() {
  const char* const folder = std::getenv("ISTHMUS_RECORD_DIR");
  if (folder == nullptr) return false;
  file_ = new_file(folder);
  if (file_ < 0 || !map_next_piece()) return false;
  void* const first = mmap(nullptr, kSlotSize, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (first == MAP_FAILED) return false;
  process_ = static_cast<ProcessSlot*>(first);
  process_->magic = kMagic;
  process_->version = kVersion;
  process_->slot_size = kSlotSize;
  process_->process = static_cast<std::uint32_t>(getpid());
  process_->parent = static_cast<std::uint32_t>(getppid());
  process_->monotonic = now();
  process_->realtime = nanoseconds(CLOCK_REALTIME);
  commit(piece_, SlotType::process);
  used_ = kSlotSize;
  return true;
}

bool Journal::map_next_piece() {
  errno = posix_fallocate(file_, static_cast<off_t>(mapped_bytes_), kPiece);
  if (errno != 0) return false;
  void* const piece =
      mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(mapped_bytes_));
  if (piece == MAP_FAILED) return false;
  if (piece_ != nullptr) munmap(piece_, kPiece);
  piece_ = static_cast<unsigned char*>(piece);
  mapped_bytes_ += kPiece;
  used_ = 0;
  return true;
}

void Journal::close() {
  if (piece_ != nullptr) munmap(piece_, kPiece);
  if (process_ != nullptr) munmap(process_, kSlotSize);
  if (file_ >= 0) ::close(file_);
  piece_ = nullptr;
  process_ = nullptr;
  file_ = -1;
  mapped_bytes_ = 0;
  used_ = 0;
}

void Journal::give_up(const char* what) {
  failed_ = true;
  std::fprintf(stderr, "error: isthmus record: the journal of process %d %s: %s\n", static_cast<int>(getpid()), what,
               std::strerror(errno));
}

}  // namespace isthmus::layer
