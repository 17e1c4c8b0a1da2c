// A GPU's own probe for scattered access: reads and writes words that a linear congruential sequence picks, as many at
// once as the device takes, with no parameter of a benchmark. A work-item picks a batch before it changes it.
#define BATCH 128

__kernel void probe_random(__global ulong* restrict table, const ulong index_mask, const ulong batches) {
  ulong places[BATCH];
  ulong number = get_global_id(0) * 0x9e3779b97f4a7c15UL + 1;
  for (ulong batch = 0; batch < batches; ++batch) {
    for (int each = 0; each < BATCH; ++each) {
      number = number * 6364136223846793005UL + 1442695040888963407UL;
      places[each] = (number >> 20) & index_mask;
    }
    for (int each = 0; each < BATCH; ++each) table[places[each]] ^= number;
  }
}
