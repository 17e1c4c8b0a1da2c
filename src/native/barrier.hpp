#pragma once

namespace isthmus::native {

/// A full memory barrier on every core that runs a thread of this process, when it returns: the dear side of an
/// asymmetric Dekker protocol whose cheap side, at every token, is a matter of program order alone (membarrier(2)).
/// Throws Error where the kernel does not offer it.
void barrier_on_all_cores();

/// Registers the process for it; once.
void prepare_barrier();

/// Tells the core that the thread spins.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Asks for a line that is about to be written.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));  // GCC's own needs -mprfchw; a no-op before 2014
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace isthmus::native
