// A CPU's own probe for scattered access: reads and writes words that numbers of HPC Challenge's generator pick, eight
// of which stand in the lanes of a vector, with no parameter of the benchmark. The words of one batch are on their way
// from memory while those of the batch before are changed.
#define LANES 8
#define VECTORS 16
#define BATCH (LANES * VECTORS)

ulong8 draw(ulong8 number, ulong* numbers) {
#pragma unroll
  for (int vector = 0; vector < VECTORS; ++vector) {
    number = (number << 1) ^ (as_ulong8(as_long8(number) >> 63) & 7UL);
    vstore8(number, vector, numbers);
  }
  return number;
}

void change(const ulong* now, const ulong* next, __global ulong* table, ulong index_mask) {
#pragma unroll 8
  for (int each = 0; each < BATCH; ++each) {
    FETCH(&table[next[each] & index_mask]);
    table[now[each] & index_mask] ^= 1;
  }
}

__kernel void probe_random(__global ulong* restrict table, const ulong index_mask, const ulong batches) {
  const ulong8 lanes = (ulong8)(1, 2, 3, 4, 5, 6, 7, 8) + LANES * get_global_id(0);
  ulong numbers[2][BATCH];
  ulong8 number = draw(lanes * 0x9e3779b97f4a7c15UL, numbers[0]);
  int now = 0;
  for (ulong batch = 0; batch < batches; ++batch, now = 1 - now) {
    number = draw(number, numbers[1 - now]);
    change(numbers[now], numbers[1 - now], table, index_mask);
  }
}
