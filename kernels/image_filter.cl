// The 3x3 stencil of stacc VI-B1. One work item computes four pixels of a row, their sixteen bytes side by side in a
// vector. coefficients: for each tap, row by row, one coefficient for red, green, blue and alpha. The sum is 32 bit; it
// is shifted right by `shift`, halves rounded up, and saturated to 8 bit; edge pixels are repeated. Work items: (width
// + 3) / 4 by height.

#define PIXELS 4

// Pixels x to x + 3 of a row; those outside repeat the nearest one inside.
int16 pixels_at(__global const uchar4* row, int x, int width) {
  if (x >= 0 && x + PIXELS <= width) return convert_int16(vload16(0, (__global const uchar*)(row + x)));
  const int last = width - 1;
  return convert_int16((uchar16)(row[clamp(x, 0, last)], row[clamp(x + 1, 0, last)], row[clamp(x + 2, 0, last)],
                                 row[clamp(x + 3, 0, last)]));
}

int16 for_each_pixel(short4 channels) {
  return convert_int16((short16)(channels, channels, channels, channels));
}

void store(uchar16 pixels, __global uchar4* row, int x, int width) {
  __global uchar* to = (__global uchar*)(row + x);
  if (x + PIXELS <= width) {
    vstore16(pixels, 0, to);
    return;
  }
  uchar bytes[4 * PIXELS];
  vstore16(pixels, 0, bytes);
  for (int i = 0; i < 4 * (width - x); ++i) to[i] = bytes[i];
}

__kernel void image_filter(__global const uchar4* in, __global uchar4* out, __constant short4* coefficients, int width,
                           int height, int shift) {
  const int x = (int)get_global_id(0) * PIXELS;
  const int y = (int)get_global_id(1);
  int16 sum = (int16)(shift > 0 ? 1 << (shift - 1) : 0);
  for (int i = 0; i < 3; ++i) {
    __global const uchar4* row = in + clamp(y + i - 1, 0, height - 1) * width;
    for (int j = 0; j < 3; ++j) sum += pixels_at(row, x + j - 1, width) * for_each_pixel(coefficients[3 * i + j]);
  }
  store(convert_uchar16_sat(sum >> shift), out + y * width, x, width);
}
