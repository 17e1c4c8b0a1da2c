#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#if !defined(__x86_64__) || defined(ISTHMUS_BOOST_FIBERS)
#include <boost/context/detail/fcontext.hpp>
#define ISTHMUS_USE_BOOST 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace isthmus::engine {

#if !defined(ISTHMUS_USE_BOOST)
/// Leaves the present stack, whose pointer is stored at `save_to`, for the one that stands at `stack_pointer`; a new
/// one begins with `argument`. Returns when somebody comes back.
///
/// It stands where it is used, and jumps: behind a call that is left by a jump the processor would expect each later
/// `ret` one call off (benchmarks/README.md).
[[gnu::always_inline]] inline void switch_stack(void** save_to, void* stack_pointer, void* argument) {
  // A function's own data may reach 128 bytes below its stack's end. What is not named as lost is kept: the frame
  // pointer here, the rest by the compiler where it is in use.
  asm volatile(R"(
    leaq -128(%%rsp), %%rsp
    pushq %%rbp
    leaq 1f(%%rip), %%rax
    pushq %%rax
    movq %%rsp, (%[save_to])
    movq %[stack_pointer], %%rsp
    popq %%rax
    jmpq *%%rax
  1:
    popq %%rbp
    leaq 128(%%rsp), %%rsp
  )"
               : [save_to] "+S"(save_to), [stack_pointer] "+d"(stack_pointer), "+D"(argument)
               :
               : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory",
#if defined(__AVX512F__)
                 "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",
                 "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
                 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
                 "st(7)", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7");
}
#endif

/// A stack, and the point in the code at which it was left. This is the only place that knows how control moves between
/// stacks; it tells AddressSanitizer and ThreadSanitizer.
struct FiberSlot {
  void* stack_pointer = nullptr;
  std::byte* mapping = nullptr;  ///< the guard pages, then the stack; null for the thread's own stack
  std::size_t mapping_bytes = 0;
  void* sanitizer_stack = nullptr;
  void* thread_sanitizer_fiber = nullptr;
  FiberSlot* spare_before = nullptr;  ///< the next in the list of spare fibers
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
  FiberSlot& spare() {
    if (spare_ == nullptr) return create();
    return *std::exchange(spare_, spare_->spare_before);
  }
  /// The current fiber stands between two actors: `spare` may hand it out.
  void keep_spare() { current_->spare_before = std::exchange(spare_, current_); }
  void switch_to(FiberSlot& to);
  std::size_t stack_bytes() const { return stack_bytes_; }

 private:
  friend class OverflowWatch;

  static void start(void* fibers);
  static std::size_t guard_bytes();
  FiberSlot& create();
  /// Maps a stack in advance, because a fault handler must not allocate. An overflow ends a run, so one is enough.
  void keep_for_overflow() { for_overflow_ = &create(); }

  Entry entry_;
  Entry after_overflow_;
  void* argument_;
  std::size_t stack_bytes_;
  FiberSlot main_;
  FiberSlot* current_ = &main_;
  FiberSlot* previous_ = nullptr;
  std::vector<std::unique_ptr<FiberSlot>> all_;
  FiberSlot* spare_ = nullptr;  ///< head of the list of spare fibers
  FiberSlot* for_overflow_ = nullptr;
};

[[gnu::always_inline]] inline void Fibers::switch_to(FiberSlot& to) {
  FiberSlot& from = *current_;
#if defined(ISTHMUS_USE_BOOST) || defined(__SANITIZE_ADDRESS__)
  previous_ = &from;
#endif
  current_ = &to;
#if defined(__SANITIZE_ADDRESS__)
  const std::size_t guard = &to == &main_ ? 0 : guard_bytes();
  __sanitizer_start_switch_fiber(&from.sanitizer_stack, to.mapping + guard, to.mapping_bytes - guard);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.thread_sanitizer_fiber, 0);
#endif
#if defined(ISTHMUS_USE_BOOST)
  const auto back = boost::context::detail::jump_fcontext(to.stack_pointer, this);
  previous_->stack_pointer = back.fctx;
#else
  switch_stack(&from.stack_pointer, to.stack_pointer, this);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.sanitizer_stack, nullptr, nullptr);
#endif
}

/// While an OverflowWatch lives, a fiber of this thread that runs into its guard page is left for `after_overflow`, and
/// the process goes on. It does nothing under a sanitizer, which handles that fault itself, and works on x86-64 only.
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
