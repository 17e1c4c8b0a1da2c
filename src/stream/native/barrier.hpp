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

}  // namespace isthmus::native
