// RandomAccess for GPUs: a generator for each work-item; enough of them are in flight to hide the memory's latency.
#if ATOMIC
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define UPDATE(word, number) atom_xor(word, number)
#else
#define UPDATE(word, number) (*(word) ^= (number))
#endif

// Takes those of `count` numbers of each generator that fall on the `size` words from `first` on.
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  ulong number = seeds[get_global_id(0)];
  for (ulong each = 0; each < count; ++each) {
    number = (number << 1) ^ ((long)number < 0 ? 7UL : 0UL);
    const ulong at = (number & index_mask) - first;
    if (at < size) UPDATE(&table[at], number);
  }
}
