// Reads device memory in pieces of 16 bytes, one a work item: `bursts` stretches of `burst` pieces, scattered, then the
// same `stride` pieces further, `passes` times. The memory holds zeros, which no compiler knows: each pass takes what
// it read as part of its next address, so it waits for it, and nothing is left out.

__kernel void device_read(__global const uint4* memory, __global uint4* sink, int burst, int bursts, int stride,
                          int passes) {
  const uint item = (uint)get_global_id(0);
  const uint index = item / (uint)burst;
  const uint place = bursts == 1 ? 0 : (uint)((ulong)index * 2654435761UL % (ulong)bursts);
  uint at = place * (uint)burst + item % (uint)burst;
  uint4 seen = (uint4)(0);
  for (int pass = 0; pass < passes; ++pass) {
    seen |= memory[at];
    at += (uint)stride + seen.x;
  }
  if ((seen.x | seen.y | seen.z | seen.w) != 0) sink[0] = seen;
}
