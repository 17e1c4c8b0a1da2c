#include "fiber.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "isthmus/base/error.hpp"

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

#if !defined(ISTHMUS_USE_BOOST)
// Saves what the System V ABI asks a callee to keep on the old stack and takes it from the new one. A jump in place of `ret` lets the
// branch predictor learn each switch by its target: 1.5 ns a switch where Boost.Context takes 4 (benchmarks/README.md).
asm(R"(
.text
.globl isthmus_switch_stack
.hidden isthmus_switch_stack
.type isthmus_switch_stack,@function
isthmus_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  movq %rdx, %rdi
  jmpq *%rcx
.size isthmus_switch_stack,.-isthmus_switch_stack
)");
extern "C" void isthmus_switch_stack(void** save_to, void* stack_pointer, void* argument);
#endif

namespace isthmus::engine {
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

Fibers::Fibers(Entry entry, void* argument, std::size_t stack_bytes)
    : entry_(entry),
      argument_(argument),
      stack_bytes_((stack_bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
#if defined(__SANITIZE_THREAD__)
  main_.thread_sanitizer_fiber = __tsan_get_current_fiber();
#endif
}

Fibers::~Fibers() {
  for (auto& fiber : all_) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(fiber->mapping, fiber->mapping_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(fiber->thread_sanitizer_fiber);
#endif
    munmap(fiber->mapping, fiber->mapping_bytes);
  }
}

FiberSlot& Fibers::spare() {
  if (spare_.empty()) return create();
  FiberSlot* fiber = spare_.back();
  spare_.pop_back();
  return *fiber;
}

FiberSlot& Fibers::create() {
  auto fiber = std::make_unique<FiberSlot>();
  fiber->mapping_bytes = stack_bytes_ + page_bytes();
  void* mapping = mmap(nullptr, fiber->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    throw Error(fmt::format("no memory for the stack of actor {} of this run ({} KiB each): {}", all_.size() + 1,
                            stack_bytes_ / 1024, std::strerror(errno)));
  fiber->mapping = static_cast<std::byte*>(mapping);
  if (mprotect(mapping, page_bytes(), PROT_NONE) != 0) {
    const int why = errno;
    munmap(mapping, fiber->mapping_bytes);
    throw Error(fmt::format("no guard page for the stack of actor {} of this run: {}", all_.size() + 1, std::strerror(why)));
  }
#if defined(__SANITIZE_THREAD__)
  fiber->thread_sanitizer_fiber = __tsan_create_fiber(0);
#endif
  auto* top = fiber->mapping + fiber->mapping_bytes;
#if defined(ISTHMUS_USE_BOOST)
  fiber->stack_pointer = boost::context::detail::make_fcontext(
      top, stack_bytes_, [](boost::context::detail::transfer_t from) {
        auto* fibers = static_cast<Fibers*>(from.data);
        fibers->previous_->stack_pointer = from.fctx;
        start(fibers);
      });
#else
  // Six registers, then where to go; the stack then stands as a call leaves it, 8 bytes off a multiple of 16.
  auto** frame = reinterpret_cast<void**>(top - sizeof(void*));
  *frame = nullptr;
  *--frame = reinterpret_cast<void*>(&Fibers::start);
  frame -= 6;
  std::memset(static_cast<void*>(frame), 0, 6 * sizeof(void*));
  fiber->stack_pointer = frame;
#endif
  all_.push_back(std::move(fiber));
  return *all_.back();
}

void Fibers::start(void* fibers) {
  auto& self = *static_cast<Fibers*>(fibers);
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (self.previous_ == &self.main_ && self.main_.mapping_bytes == 0) {
    self.main_.mapping = static_cast<std::byte*>(const_cast<void*>(bottom));
    self.main_.mapping_bytes = size;
  }
#endif
  self.entry_(self.argument_);
}

void Fibers::switch_to(FiberSlot& to) {
  FiberSlot& from = *current_;
  previous_ = &from;
  current_ = &to;
#if defined(__SANITIZE_ADDRESS__)
  const std::size_t guard = &to == &main_ ? 0 : page_bytes();
  __sanitizer_start_switch_fiber(&from.sanitizer_stack, to.mapping + guard, to.mapping_bytes - guard);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.thread_sanitizer_fiber, 0);
#endif
#if defined(ISTHMUS_USE_BOOST)
  const auto back = boost::context::detail::jump_fcontext(to.stack_pointer, this);
  previous_->stack_pointer = back.fctx;
#else
  isthmus_switch_stack(&from.stack_pointer, to.stack_pointer, this);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.sanitizer_stack, nullptr, nullptr);
#endif
}

bool Fibers::overflowed_at(const void* address) const {
  const auto* guard = current_->mapping;
  return current_ != &main_ && address >= guard && address < guard + page_bytes();
}

}  // namespace isthmus::engine
