// Writes device memory in pieces of 16 bytes, one a work item, on the way of device_read.cl.

__kernel void device_write(__global uint4* memory, __global uint4* sink, int burst, int bursts, int stride,
                           int passes) {
  const uint item = (uint)get_global_id(0);
  const uint index = item / (uint)burst;
  const uint place = bursts == 1 ? 0 : (uint)((ulong)index * 2654435761UL % (ulong)bursts);
  uint at = place * (uint)burst + item % (uint)burst;
  for (int pass = 0; pass < passes; ++pass) {
    memory[at] = (uint4)(item);
    at += (uint)stride;
  }
  if (passes < 0) sink[0] = (uint4)(item);
}
