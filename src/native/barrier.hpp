#pragma once

namespace isthmus::native {

/// Makes every core that runs a thread of this process pass a full memory barrier before it returns (membarrier(2)). It
/// is the expensive side of an asymmetric Dekker protocol; the cheap side, at every token, only needs program order.
/// Throws Error if the kernel does not offer it.
void barrier_on_all_cores();

/// Registers the process for that; call it once.
void prepare_barrier();

/// Tells the core that the thread spins.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Fetches a line that is about to be written.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  // GCC's builtin needs -mprfchw; the instruction does nothing on processors before 2014.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace isthmus::native
