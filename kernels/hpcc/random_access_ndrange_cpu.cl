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

// Updates the words of one batch and fetches those of the next in turns, so that neither waits for the other. The table
// begins with word `first`.
void update(const ulong* now, const ulong* next, __global ulong* table, ulong index_mask, ulong first) {
#pragma unroll 8
  for (int each = 0; each < BATCH; ++each) {
    FETCH(&table[(next[each] & index_mask) - first]);
    UPDATE(&table[(now[each] & index_mask) - first], now[each]);
  }
}

// Puts those of `count` numbers that fall on `size` words from `first` on behind the `kept` ones; without a branch, as
// no processor foretells which they are. Returns how many there are now.
int keep(const ulong* numbers, int count, ulong* own, int kept, ulong index_mask, ulong first, ulong size) {
#pragma unroll 8
  for (int each = 0; each < count; ++each) {
    own[kept] = numbers[each];
    kept += (numbers[each] & index_mask) - first < size;
  }
  return kept;
}

void update_all(ulong8 number, const ulong count, __global ulong* table, const ulong index_mask) {
  ulong batches[2][BATCH];
  number = fill(number, batches[0]);
  int now = 0;
  for (ulong done = 0; done < count; done += VECTORS, now = 1 - now) {
    number = fill(number, batches[1 - now]);
    update(batches[now], batches[1 - now], table, index_mask, 0);
  }
}

// The update when other kernels have a part of the words: numbers of its own wait until there are two batches.
void update_own(ulong8 number, const ulong count, __global ulong* table, const ulong index_mask, const ulong first,
                const ulong size) {
  ulong batch[BATCH], own[3 * BATCH];
  int kept = 0;
  for (ulong done = 0; done < count; done += VECTORS) {
    number = fill(number, batch);
    kept = keep(batch, (int)min(count - done, (ulong)VECTORS) * LANES, own, kept, index_mask, first, size);
    if (kept < 2 * BATCH) continue;
    update(own, own + BATCH, table, index_mask, first);
    kept -= BATCH;
    for (int each = 0; each < kept; ++each) own[each] = own[BATCH + each];
  }
  for (int each = 0; each < kept; ++each) UPDATE(&table[(own[each] & index_mask) - first], own[each]);
}

// Takes those of `count` numbers of each generator that fall on the `size` words from `first` on.
__kernel void random_access(__global ulong* restrict table, __global const ulong* restrict seeds, const ulong count,
                            const ulong index_mask, const ulong first, const ulong size) {
  const ulong8 number = vload8(get_global_id(0), seeds);
  if (size > index_mask && count % VECTORS == 0)
    update_all(number, count, table, index_mask);
  else
    update_own(number, count, table, index_mask, first, size);
}
