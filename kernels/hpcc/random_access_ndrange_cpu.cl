// RandomAccess for CPUs: a work-item runs eight generators in the lanes of a vector and has the words of one batch on
// their way from memory while it updates those of the batch before. HPC Challenge allows 1024 numbers in advance.
#define LANES 8
#define VECTORS 16
#define BATCH (LANES * VECTORS)

#if ATOMIC
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define UPDATE(word, number) atom_xor(word, number)
#else
#define UPDATE(word, number) (*(word) ^= (number))
#endif

// A prefetch takes no address space, and all are one on a CPU.
#if defined(__has_builtin) && __has_builtin(__builtin_prefetch)
#define FETCH(address) __builtin_prefetch((const void*)(size_t)(address), 1, 0)
#else
#define FETCH(address) prefetch(address, 1)
#endif

// The next number of x^63 + x^2 + x + 1 over GF(2), as HPC Challenge has it, in each lane.
ulong8 next_numbers(ulong8 number) {
  return (number << 1) ^ (as_ulong8(as_long8(number) >> 63) & 7UL);
}

ulong8 fetch(ulong8 number, ulong* batch, __global ulong* table, ulong index_mask, ulong first, ulong size) {
  for (int vector = 0; vector < VECTORS; ++vector) {
    number = next_numbers(number);
    vstore8(number, vector, batch);
  }
  for (int each = 0; each < BATCH; ++each) {
    const ulong at = (batch[each] & index_mask) - first;
    if (at < size) FETCH(&table[at]);
  }
  return number;
}

void update(const ulong* batch, int count, __global ulong* table, ulong index_mask, ulong first, ulong size) {
  for (int each = 0; each < count; ++each) {
    const ulong at = (batch[each] & index_mask) - first;
    if (at < size) UPDATE(&table[at], batch[each]);
  }
}

// Of `count` numbers of each generator those that fall on the `size` words from `first` on are taken.
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  ulong batches[2][BATCH];
  const ulong vectors = count;
  ulong8 number = vload8(get_global_id(0), seeds);
  number = fetch(number, batches[0], table, index_mask, first, size);
  int now = 0;
  for (ulong done = 0; done < vectors; done += VECTORS, now = 1 - now) {
    const ulong left = vectors - done;
    if (left > VECTORS) number = fetch(number, batches[1 - now], table, index_mask, first, size);
    update(batches[now], (int)min(left, (ulong)VECTORS) * LANES, table, index_mask, first, size);
  }
}
