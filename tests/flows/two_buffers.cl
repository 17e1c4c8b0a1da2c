// Two buffers in, two out, one that stays: what device_flow_test.cpp runs.
__kernel void two_buffers(__global const uint* a, __global const uint* b, __constant uint* c, int gain,
                          __global uint* first, __global uint* second) {
  const int i = (int)get_global_id(0);
  second[i] = a[i] * (uint)gain + c[i % 16];
  if (i < 16) first[i] = b[i] + a[i];
}
