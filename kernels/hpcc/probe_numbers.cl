// A device's own probe for HPC Challenge's generator: each work-item makes numbers in a few chains, on a CPU in the
// lanes of vectors, and looks which of them fall on `size` words from `first` on, as every rank does with all numbers;
// it changes no word. How many do goes to `found`, or nothing would have to be made.
#define CHAINS 4
#if PROBE_ON_CPU
typedef ulong8 lanes;
#define SIGN(number) as_ulong8(as_long8(number) >> 63)
#define ONES(condition) (as_ulong8(condition) & 1UL)
#define SUM(values) (values.s0 + values.s1 + values.s2 + values.s3 + values.s4 + values.s5 + values.s6 + values.s7)
#define FIRST ((ulong8)(1, 2, 3, 4, 5, 6, 7, 8) + 8 * CHAINS * get_global_id(0))
#define WIDTH 8
#else
typedef ulong lanes;
#define SIGN(number) as_ulong(as_long(number) >> 63)
#define ONES(condition) (ulong)(condition)
#define SUM(values) (values)
#define FIRST (1 + CHAINS * get_global_id(0))
#define WIDTH 1
#endif

__kernel void probe_numbers(__global ulong* restrict found, const ulong count, const ulong index_mask,
                            const ulong first, const ulong size) {
  lanes numbers[CHAINS];
  lanes kept[CHAINS];
  for (int chain = 0; chain < CHAINS; ++chain) {
    numbers[chain] = (FIRST + WIDTH * chain) * 0x9e3779b97f4a7c15UL;
    kept[chain] = 0;
  }
  for (ulong each = 0; each < count; ++each) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
      numbers[chain] = (numbers[chain] << 1) ^ (SIGN(numbers[chain]) & 7UL);
      kept[chain] += ONES((numbers[chain] & index_mask) - first < (lanes)(size));
    }
  }
  lanes sum = kept[0];
  for (int chain = 1; chain < CHAINS; ++chain) sum += kept[chain];
  found[get_global_id(0)] = SUM(sum);
}
