// Writes device memory in pieces of 16 bytes, one a work item, on the way of device_read.cl.

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

__kernel void device_write(__global uint4* memory, __global uint4* sink, int burst, int bursts, int stride,
                           int passes) {
  const uint item = (uint)get_global_id(0);
  uint at = scattered(item / (uint)burst, (uint)bursts) * (uint)burst + item % (uint)burst;
  for (int pass = 0; pass < passes; ++pass) {
    memory[at] = (uint4)(item);
    at += (uint)stride;
  }
  if (passes < 0) sink[0] = (uint4)(item);
}
