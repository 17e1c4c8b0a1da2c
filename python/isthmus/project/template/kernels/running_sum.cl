// The running sum of a message: number i of `sums` is the sum of numbers 0 .. i of `numbers`, modulo 2^32. One
// work-item, as HLS tools pipeline it.
__kernel void running_sum(__global const uint* restrict numbers, __global uint* restrict sums, int count) {
  uint sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += numbers[i];
    sums[i] = sum;
  }
}
