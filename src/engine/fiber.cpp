#include "fiber.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "isthmus/base/error.hpp"

namespace isthmus::engine {
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

// Steps are compiled so that no frame steps over a page without touching it (-fstack-clash-protection, CMakeLists.txt);
// what they call may come from elsewhere. Address space is all that a guard costs.
std::size_t Fibers::guard_bytes() {
  return 256 * page_bytes();
}

Fibers::Fibers(Entry entry, Entry after_overflow, void* argument, std::size_t stack_bytes)
    : entry_(entry),
      after_overflow_(after_overflow),
      argument_(argument),
      stack_bytes_((stack_bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
#if defined(__SANITIZE_THREAD__)
  main_.thread_sanitizer_fiber = __tsan_get_current_fiber();
#endif
}

Fibers::~Fibers() {
  for (auto& fiber : all_) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(fiber->mapping + guard_bytes(), fiber->mapping_bytes - guard_bytes());
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(fiber->thread_sanitizer_fiber);
#endif
    munmap(fiber->mapping, fiber->mapping_bytes);
  }
}

FiberSlot& Fibers::create() {
  auto fiber = std::make_unique<FiberSlot>();
  fiber->mapping_bytes = guard_bytes() + stack_bytes_ + page_bytes();
  void* mapping = mmap(nullptr, fiber->mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool mapped = mapping != MAP_FAILED;
  fiber->mapping = static_cast<std::byte*>(mapping);
  if (!mapped || mprotect(fiber->mapping + guard_bytes(), stack_bytes_ + page_bytes(), PROT_READ | PROT_WRITE) != 0) {
    const int why = errno;
    if (mapped) munmap(mapping, fiber->mapping_bytes);
    throw Error(fmt::format("no memory for the stack of actor {} of this run ({} KiB each): {}", all_.size() + 1,
                            stack_bytes_ / 1024, std::strerror(why)));
  }
#if defined(__SANITIZE_THREAD__)
  fiber->thread_sanitizer_fiber = __tsan_create_fiber(0);
#endif
  // Each stack begins a few cache lines lower in its page than the one before. Otherwise the parts of all stacks that
  // are in use would share the same lines of the caches, which hold eight of those.
  constexpr std::size_t kApart = 5 * 64;
  auto* top = fiber->mapping + fiber->mapping_bytes - all_.size() * kApart % page_bytes();
#if defined(ISTHMUS_USE_BOOST)
  fiber->stack_pointer =
      boost::context::detail::make_fcontext(top, stack_bytes_, [](boost::context::detail::transfer_t from) {
        auto* fibers = static_cast<Fibers*>(from.data);
        fibers->previous_->stack_pointer = from.fctx;
        start(fibers);
      });
#else
  // The return address: the stack then stands as a call leaves it, 8 bytes off a multiple of 16.
  auto** frame = reinterpret_cast<void**>(top - sizeof(void*));
  *frame = nullptr;
  *--frame = reinterpret_cast<void*>(&Fibers::start);
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

#if defined(ISTHMUS_USE_BOOST) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

OverflowWatch::OverflowWatch(Fibers& fibers) : outer_(&fibers) {}
OverflowWatch::~OverflowWatch() = default;

#else

namespace {

// The first watch installs one handler for the process, and it stays. It passes on every fault that is not the overflow
// of a fiber.
thread_local Fibers* watched = nullptr;
struct sigaction previous_action;

}  // namespace

void OverflowWatch::on_fault(int signal, siginfo_t* info, void* context) {
  Fibers* fibers = watched;
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* guard = fibers == nullptr ? nullptr : fibers->current_->mapping;
  const auto* stack = guard + Fibers::guard_bytes();
  // A large array moves the stack pointer first, and what is touched then may lie anywhere.
  const auto pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
  const bool overflowed =
      guard != nullptr && ((address >= guard && address < stack) || pointer < reinterpret_cast<std::uintptr_t>(stack));
  if (!overflowed || fibers->for_overflow_ == nullptr) {
    sigaction(signal, &previous_action, nullptr);  // the fault happens again, and the previous action handles it
    return;
  }
  // This fiber is given up. Returning from here continues on a fresh stack, as if that had been called here.
  FiberSlot& fresh = *std::exchange(fibers->for_overflow_, nullptr);
  fibers->current_ = &fresh;
  const auto top = reinterpret_cast<std::uintptr_t>(fresh.mapping + fresh.mapping_bytes) - sizeof(void*);
  registers[REG_RSP] = static_cast<greg_t>(top);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(fibers->after_overflow_));
  registers[REG_RDI] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(fibers->argument_));
}

OverflowWatch::OverflowWatch(Fibers& fibers) : outer_(watched) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action {};
    action.sa_sigaction = &OverflowWatch::on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGSEGV, &action, &previous_action) != 0)
      throw Error(fmt::format("cannot watch for stack overflows: {}", std::strerror(errno)));
  });
  // The handler needs a stack of its own, because the faulting one is used up. Each thread keeps another one for ever.
  thread_local std::array<std::byte, 64 * 1024> other_stack;
  stack_t other{};
  other.ss_sp = other_stack.data();
  other.ss_size = other_stack.size();
  if (sigaltstack(&other, nullptr) != 0)
    throw Error(fmt::format("no stack to watch for overflows on: {}", std::strerror(errno)));
  fibers.keep_for_overflow();
  watched = &fibers;
}

OverflowWatch::~OverflowWatch() {
  watched = outer_;
}

#endif

}  // namespace isthmus::engine
