#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>

#include "layer/journal_format.hpp"

namespace isthmus::layer {

/// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t now();

/// This process's journal, in the folder ISTHMUS_RECORD_DIR. Slots are stored into a mapped piece of the file, which
/// the kernel keeps whatever becomes of the process; one piece is mapped at a time, and its room on the disk is taken
/// before it is used, so a full disk costs slots (which are counted) and never the program.
class Journal {
 public:
  /// Lets `fill` set a slot's fields, then makes it valid. The file is made at the first call.
  template <class Slot, class Fill>
  void append(SlotType type, const Fill& fill) {
    const std::lock_guard guard(lock_);
    unsigned char* const place = room();
    if (place == nullptr) return;
    Slot slot;
    fill(slot);
    std::memcpy(place + 1, reinterpret_cast<const unsigned char*>(&slot) + 1, kSlotSize - 1);
    commit(place, type);
  }
  /// A text of any length, in as many slots as it takes.
  void append_text(Text what, std::uint32_t id, std::string_view text, std::uint32_t detail = 0);
  /// Says that the process leaves in an orderly way.
  void ended();
  /// A slot's worth of memory could not be had.
  void lost();

  /// What was written before a fork stays with the parent: a child has another generation, in a file of its own.
  std::uint32_t generation() const { return generation_.load(std::memory_order_relaxed); }
  void before_fork() { lock_.lock(); }
  void after_fork_in_parent() { lock_.unlock(); }
  void after_fork_in_child();

 private:
  unsigned char* room();
  bool open();
  bool map_next_piece();
  void close();
  void give_up(const char* what);
  static void commit(unsigned char* place, SlotType type) {
    std::atomic_ref(*place).store(static_cast<std::uint8_t>(type), std::memory_order_release);
  }

  std::mutex lock_;
  std::atomic<std::uint32_t> generation_{1};
  int file_ = -1;
  bool failed_ = false;
  std::uint64_t mapped_bytes_ = 0;  // of the file, up to the end of the piece
  unsigned char* piece_ = nullptr;
  std::size_t used_ = 0;            // of the piece
  ProcessSlot* process_ = nullptr;  // the first slot, mapped as long as the file is open
};

/// Never destroyed: threads may still call OpenCL while the process leaves.
Journal& journal();

}  // namespace isthmus::layer
