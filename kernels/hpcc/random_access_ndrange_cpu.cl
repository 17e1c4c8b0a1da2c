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

// The next number of x^63 + x^2 + x + 1 over GF(2), as HPC Challenge has it, in each lane.
ulong8 next_numbers(ulong8 number) {
  return (number << 1) ^ (as_ulong8(as_long8(number) >> 63) & 7UL);
}

ulong8 fill(ulong8 number, ulong* batch) {
#pragma unroll
  for (int vector = 0; vector < VECTORS; ++vector) {
    number = next_numbers(number);
    vstore8(number, vector, batch);
  }
  return number;
}

// Updates the words of one batch and fetches those of the next in turns, so that neither waits for the other.
void update(const ulong* now, const ulong* next, __global ulong* table, ulong index_mask) {
#pragma unroll 8
  for (int each = 0; each < BATCH; ++each) {
    FETCH(&table[next[each] & index_mask]);
    UPDATE(&table[now[each] & index_mask], now[each]);
  }
}

// The same where other kernels have a part of the words.
void update_own(const ulong* now, int count, const ulong* next, __global ulong* table, ulong index_mask, ulong first,
                ulong size) {
  for (int each = 0; each < BATCH; ++each) {
    const ulong later = (next[each] & index_mask) - first;
    if (later < size) FETCH(&table[later]);
    const ulong at = (now[each] & index_mask) - first;
    if (each < count && at < size) UPDATE(&table[at], now[each]);
  }
}

// Of `count` numbers of each generator those that fall on the `size` words from `first` on are taken.
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  ulong batches[2][BATCH];
  ulong8 number = fill(vload8(get_global_id(0), seeds), batches[0]);
  int now = 0;
  for (ulong done = 0; done < count; done += VECTORS, now = 1 - now) {
    number = fill(number, batches[1 - now]);
    if (size > index_mask && count - done >= VECTORS)
      update(batches[now], batches[1 - now], table, index_mask);
    else
      update_own(batches[now], (int)min(count - done, (ulong)VECTORS) * LANES, batches[1 - now], table, index_mask,
                 first, size);
  }
}
