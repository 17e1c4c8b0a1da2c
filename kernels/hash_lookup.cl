// Look-ups in a chained hash table (stacc algorithm 1): for each key the value of the entry that holds it, or 0. An
// entry is 64 bytes: key, value, the place of the next of its chain (all ones: none), nothing. One work item, as HLS
// tools pipeline it.
typedef struct {
  ulong key;
  ulong value;
  ulong next;
  ulong unused[5];
} Entry;

#define MULTIPLIER 0x9e3779b97f4a7c15UL
#define LAST 0xffffffffffffffffUL

__kernel void hash_lookup(__global const ulong* restrict keys, __global ulong* restrict values,
                          __global const Entry* restrict table, int buckets, int count) {
  for (int i = 0; i < count; ++i) {
    const ulong key = keys[i];
    ulong at = mul_hi(key * MULTIPLIER, (ulong)buckets);
    while (at != LAST && table[at].key != key) at = table[at].next;
    values[i] = at == LAST ? 0 : table[at].value;
  }
}
