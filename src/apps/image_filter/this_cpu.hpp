#pragma once

/// Compiles a hot loop once for every processor and once for those with 256-bit integers, and lets the program choose
/// when it starts. It chooses before the thread sanitizer is there, which then dies of the choice.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__)
#define ISTHMUS_FOR_THIS_CPU __attribute__((target_clones("avx2", "default")))
#else
#define ISTHMUS_FOR_THIS_CPU
#endif
