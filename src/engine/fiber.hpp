#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

namespace isthmus::engine {

/// A stack and the point at which its code stands. The only place that knows how control moves between stacks; it tells
/// AddressSanitizer and ThreadSanitizer.
struct FiberSlot {
  void* stack_pointer = nullptr;
  std::byte* mapping = nullptr;  ///< the guard pages, then the stack; null for the thread's own stack
  std::size_t mapping_bytes = 0;
  void* sanitizer_stack = nullptr;
  void* thread_sanitizer_fiber = nullptr;
};

/// The fibers of one run. Each runs `entry(argument)`, which never returns.
class Fibers {
 public:
  using Entry = void (*)(void*);

  /// `after_overflow` runs in place of a fiber that ran off its stack; it never returns either.
  Fibers(Entry entry, Entry after_overflow, void* argument, std::size_t stack_bytes);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  FiberSlot& current() { return *current_; }
  FiberSlot& main() { return main_; }
  /// A fiber that stands in `entry` between two actors, or a new one. Throws Error if no stack can be mapped.
  FiberSlot& spare();
  /// The current fiber stands between two actors: `spare` may hand it out.
  void keep_spare() { spare_.push_back(current_); }
  void switch_to(FiberSlot& to);
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  friend class OverflowWatch;

  static void start(void* fibers);
  FiberSlot& create();
  /// A stack mapped beforehand: a fault handler must not allocate. An overflow ends a run, so one is enough.
  void keep_for_overflow() { for_overflow_ = &create(); }

  Entry entry_;
  Entry after_overflow_;
  void* argument_;
  std::size_t stack_bytes_;
  FiberSlot main_;
  FiberSlot* current_ = &main_;
  FiberSlot* previous_ = nullptr;
  std::vector<std::unique_ptr<FiberSlot>> all_;
  std::vector<FiberSlot*> spare_;
  FiberSlot* for_overflow_ = nullptr;
};

/// While it lives, a fiber of this thread that runs into its guard page is left for `after_overflow` in place of ending
/// the process. Not under a sanitizer, which has its own word on that, and on x86-64 only.
class OverflowWatch {
 public:
  explicit OverflowWatch(Fibers& fibers);
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  static void on_fault(int signal, siginfo_t* info, void* context);

  Fibers* outer_;
};

}  // namespace isthmus::engine
