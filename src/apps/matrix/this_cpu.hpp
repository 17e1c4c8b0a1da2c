#pragma once

/// Compiles a hot loop once for every processor and once for those with fused products of 256 bits, and lets the
/// program choose when it starts. It chooses before the thread sanitizer is there, which then dies of the choice.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__)
#define ISTHMUS_WITH_PRODUCTS __attribute__((target_clones("fma", "default")))
#else
#define ISTHMUS_WITH_PRODUCTS
#endif
