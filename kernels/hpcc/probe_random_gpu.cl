// A GPU's own probe for scattered access: changes words that a linear congruential sequence picks, as many at once as
// the device takes, with no parameter of a benchmark. By atomic operations, which the memory's own units carry out, or
// by loads and stores, of which a work-item picks a batch before it changes it: which is quicker depends on the device.
#if PROBE_ATOMIC
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#define BATCH 128

ulong next_number(ulong number) {
  return number * 6364136223846793005UL + 1442695040888963407UL;
}

__kernel void probe_random(__global ulong* restrict table, const ulong index_mask, const ulong batches) {
  ulong number = get_global_id(0) * 0x9e3779b97f4a7c15UL + 1;
#if PROBE_ATOMIC
  for (ulong each = 0; each < batches * BATCH; ++each) {
    number = next_number(number);
    atom_xor(&table[(number >> 20) & index_mask], number);
  }
#else
  ulong places[BATCH];
  for (ulong batch = 0; batch < batches; ++batch) {
    for (int each = 0; each < BATCH; ++each) {
      number = next_number(number);
      places[each] = (number >> 20) & index_mask;
    }
    for (int each = 0; each < BATCH; ++each) table[places[each]] ^= number;
  }
#endif
}
