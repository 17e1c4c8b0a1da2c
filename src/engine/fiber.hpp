#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace isthmus::engine {

/// A stack and the point at which its code stands. The only place that knows how control moves between stacks; it tells
/// AddressSanitizer and ThreadSanitizer.
struct FiberSlot {
  void* stack_pointer = nullptr;
  std::byte* mapping = nullptr;  ///< the guard page, then the stack; null for the thread's own stack
  std::size_t mapping_bytes = 0;
  void* sanitizer_stack = nullptr;
  void* thread_sanitizer_fiber = nullptr;
};

/// The fibers of one run. Each runs `entry(argument)`, which never returns.
class Fibers {
 public:
  using Entry = void (*)(void*);

  /// Throws Error if the system refuses the guard page's size.
  Fibers(Entry entry, void* argument, std::size_t stack_bytes);
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
  /// Whether `address` lies in the guard page of the current fiber.
  bool overflowed_at(const void* address) const;

 private:
  static void start(void* fibers);
  FiberSlot& create();

  Entry entry_;
  void* argument_;
  std::size_t stack_bytes_;
  FiberSlot main_;
  FiberSlot* current_ = &main_;
  FiberSlot* previous_ = nullptr;
  std::vector<std::unique_ptr<FiberSlot>> all_;
  std::vector<FiberSlot*> spare_;
};

}  // namespace isthmus::engine
