// The running sum of a message (stacc listing 1): value i of `out` is the sum of values 0 to i of `in`, modulo 2^32.
// One work item, as HLS tools pipeline it.
__kernel void suffix_sum(__global const uint* restrict in, __global uint* restrict out, int values) {
  uint sum = 0;
  for (int i = 0; i < values; ++i) {
    sum += in[i];
    out[i] = sum;
  }
}
