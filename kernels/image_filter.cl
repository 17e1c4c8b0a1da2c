// The 3x3 stencil of stacc VI-B1: one work item a pixel, its four channels side by side in a vector.
// coefficients: nine quadruples, row by row, each one coefficient for red, green, blue and alpha.
// The sum is 32 bit; it is shifted right by `shift`, halves rounded up, and saturated to 8 bit; edge pixels are repeated.

int4 tap(__global const uchar4 *row, int column, int4 coefficient) {
  return convert_int4(row[column]) * coefficient;
}

__kernel void image_filter(__global const uchar4 *in, __global uchar4 *out, __constant short4 *coefficients, int shift) {
  const int width = (int)get_global_size(0);
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  const int left = max(x - 1, 0);
  const int right = min(x + 1, width - 1);

  int4 sum = (int4)(shift > 0 ? 1 << (shift - 1) : 0);
  for (int i = 0; i < 3; ++i) {
    __global const uchar4 *row = in + clamp(y + i - 1, 0, (int)get_global_size(1) - 1) * width;
    sum += tap(row, left, convert_int4(coefficients[3 * i]));
    sum += tap(row, x, convert_int4(coefficients[3 * i + 1]));
    sum += tap(row, right, convert_int4(coefficients[3 * i + 2]));
  }
  out[y * width + x] = convert_uchar4_sat(sum >> shift);
}
