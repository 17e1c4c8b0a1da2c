// Reads device memory in pieces of 16 bytes, one a work item: `bursts` stretches of `burst` pieces, scattered, then the
// same `stride` pieces further, `passes` times. The memory holds zeros, which no compiler knows: each pass takes what
// it read as part of its next address, so it waits for it, and nothing is left out.

// Says where the burst `index` of `bursts` lies: a bijection without a constant stride, the same as scattered() in
// src/probes/scatter.cpp, which says how.
uint scattered(uint index, uint bursts) {
  const uint bits = max(1u, 32 - clz(bursts - 1));
  const uint mask = bits == 32 ? ~0u : (1u << bits) - 1;
  const uint shift = (bits + 1) / 2;
  do {
    index = ((index ^ index >> shift) * 0x6a09e667u + 0xbb67ae85u) & mask;
    index = ((index ^ index >> shift) * 0x3c6ef373u + 0xa54ff53au) & mask;
    index ^= index >> shift;
  } while (index >= bursts);
  return index;
}

__kernel void device_read(__global const uint4* memory, __global uint4* sink, int burst, int bursts, int stride,
                          int passes) {
  const uint item = (uint)get_global_id(0);
  uint at = scattered(item / (uint)burst, (uint)bursts) * (uint)burst + item % (uint)burst;
  uint4 seen = (uint4)(0);
  for (int pass = 0; pass < passes; ++pass) {
    seen |= memory[at];
    at += (uint)stride + seen.x;
  }
  if ((seen.x | seen.y | seen.z | seen.w) != 0) sink[0] = seen;
}
