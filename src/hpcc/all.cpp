#include "isthmus/hpcc/benchmark.hpp"

// The table: a line for each, in the order in which they are shown. NAME_benchmark() of its file says what it is.
#define ISTHMUS_BENCHMARKS(EACH) \
  EACH(stream)                   \
  EACH(fft)                      \
  EACH(gemm)                     \
  EACH(hpl)                      \
  EACH(random_access)            \
  EACH(ptrans)                   \
  EACH(b_eff)

namespace isthmus::hpcc {

#define ISTHMUS_DECLARED(name) Entry name##_benchmark();
#define ISTHMUS_MADE(name) name##_benchmark(),

ISTHMUS_BENCHMARKS(ISTHMUS_DECLARED)

std::span<const Entry> all_benchmarks() {
  static const std::vector<Entry> kAll{ISTHMUS_BENCHMARKS(ISTHMUS_MADE)};
  return kAll;
}

}  // namespace isthmus::hpcc
