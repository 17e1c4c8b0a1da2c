// Batched complex FFTs of 2^LOG_FFT_SIZE single-precision values for GPUs: Stockham's self-sorting algorithm in passes
// of radix 8, the last of what is left. A work-group transforms a tile of TILE values, 8 in the registers of each
// work-item, which change hands in local memory between passes. Transforms longer than a tile are tiles of columns,
// then tiles of rows of a matrix (Van Loan, Computational Frameworks for the Fast Fourier Transform, 3.3: the four-step
// framework), of which the second also transposes.

// No larger than need be: small groups wait less for one another.
#if LOG_FFT_SIZE <= 10
#define LOG_TILE 10
#elif LOG_FFT_SIZE == 11
#define LOG_TILE 11
#else
#define LOG_TILE 12
#endif
#define TILE (1u << LOG_TILE)
#define ITEMS (TILE / 8)
#define LOG_COLUMN (LOG_FFT_SIZE / 2)
#define LOG_ROW (LOG_FFT_SIZE - LOG_COLUMN)
#define SIZE (1u << LOG_FFT_SIZE)

// A tile in local memory: transform t begins at t * PITCH, and after each 8 values one is left out, so that neither
// strides of 8 nor neighbouring transforms meet in one bank.
#define PADDED(k) ((k) + (k) / 8)
#define PITCH(length) (PADDED(length) + 2)
#define TILE_ROOM (TILE + TILE / 8 + TILE / 16)

float2 times(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
float2 times_minus_i(float2 a) {
  return (float2)(a.y, -a.x);
}

void butterfly_2(float2* v, int stride) {
  const float2 a = v[0];
  v[0] = a + v[stride];
  v[stride] = a - v[stride];
}

void butterfly_4(float2* v, int stride) {
  butterfly_2(v, 2 * stride);
  butterfly_2(v + stride, 2 * stride);
  v[3 * stride] = times_minus_i(v[3 * stride]);
  butterfly_2(v, stride);
  butterfly_2(v + 2 * stride, stride);
  const float2 second = v[stride];
  v[stride] = v[2 * stride];
  v[2 * stride] = second;
}

void butterfly_8(float2 v[8]) {
  butterfly_4(v, 2);
  butterfly_4(v + 1, 2);
  const float2 odd[4] = {v[1], times(v[3], (float2)(M_SQRT1_2_F, -M_SQRT1_2_F)), times_minus_i(v[5]),
                         times(v[7], (float2)(-M_SQRT1_2_F, -M_SQRT1_2_F))};
  const float2 even[4] = {v[0], v[2], v[4], v[6]};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = even[i] + odd[i];
    v[i + 4] = even[i] - odd[i];
  }
}

void butterflies(float2 v[8], uint radix) {
  if (radix == 8) {
    butterfly_8(v);
  } else if (radix == 4) {
    butterfly_4(v, 1);
    butterfly_4(v + 4, 1);
  } else {
#pragma unroll
    for (int i = 0; i < 8; i += 2) butterfly_2(v + i, 1);
  }
}

// Where the values of one side of a tile lie: value k of transform t at t * of_transform + k * of_value.
typedef struct {
  uint of_transform;
  uint of_value;
} strides;

// The transform and the first value of this work-item's butterfly b; the values of the butterfly are length / radix
// apart. Neighbouring work-items take neighbours in memory.
uint2 place(uint b, uint length, uint radix, bool transforms_are_neighbours) {
  const uint index = get_local_id(0) + b * ITEMS;
  if (transforms_are_neighbours) return (uint2)(index % (TILE / length), index / (TILE / length));
  return (uint2)(index / (length / radix), index % (length / radix));
}

// One pass of radix 8 from registers to the tile; `stride` values between those of one output.
void pass_to_tile(float2 v[8], __local float2* tile, uint length, uint stride, bool neighbours,
                  __global const float2* twiddles) {
  const uint2 at = place(0, length, 8, neighbours);
  const uint q = at.y % stride;
  const uint p = at.y / stride;
  butterfly_8(v);
  const float2 root = twiddles[p * stride * (SIZE / length)];
  float2 turn = root;
  __local float2* to = tile + at.x * PITCH(length);
  to[PADDED(q + stride * 8 * p)] = v[0];
#pragma unroll
  for (uint j = 1; j < 8; ++j) {
    to[PADDED(q + stride * (8 * p + j))] = times(v[j], turn);
    turn = times(turn, root);
  }
}

// Transforms the tile at `in` into `out`; with `turns`, value k of transform t is turned by twiddles[k * (first + t)]
// then.
void transform_tile(__global const float2* in, strides from, __global float2* out, strides to, uint length,
                    __local float2* tile, __global const float2* twiddles, bool turns, uint first) {
  const bool neighbours_in = from.of_transform == 1;
  const bool neighbours_out = to.of_transform == 1;
  float2 v[8];
  const uint2 start = place(0, length, 8, neighbours_in);
#pragma unroll
  for (uint k = 0; k < 8; ++k)
    v[k] = in[start.x * from.of_transform + (size_t)(start.y + length / 8 * k) * from.of_value];

  uint stride = 1;
  uint radix = 8;
  bool neighbours = neighbours_in;
  while (stride * radix < length) {
    pass_to_tile(v, tile, length, stride, neighbours, twiddles);
    barrier(CLK_LOCAL_MEM_FENCE);
    stride *= 8;
    radix = min(8u, length / stride);
    neighbours = neighbours_out;
#pragma unroll
    for (uint i = 0; i < 8; ++i) {
      const uint2 at = place(i / radix, length, radix, neighbours);
      v[i] = tile[at.x * PITCH(length) + PADDED(at.y + length / radix * (i % radix))];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  butterflies(v, radix);
#pragma unroll
  for (uint i = 0; i < 8; ++i) {
    const uint2 at = place(i / radix, length, radix, neighbours_out);
    const uint k = at.y + length / radix * (i % radix);
    out[at.x * to.of_transform + (size_t)k * to.of_value] = turns ? times(v[i], twiddles[k * (first + at.x)]) : v[i];
  }
}

#if LOG_FFT_SIZE > LOG_TILE
#define COLUMN (1u << LOG_COLUMN)
#define ROW (1u << LOG_ROW)

// The columns of the transforms, turned, in their places.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void fft_columns(__global const float2* restrict in,
                                                                             __global float2* restrict scratch,
                                                                             __global const float2* restrict twiddles,
                                                                             uint first) {
  __local float2 tile[TILE_ROOM];
  const uint tiles = SIZE / TILE;
  const uint column = get_group_id(0) % tiles * (TILE / COLUMN);
  const size_t at = (first + get_group_id(0) / tiles) * (size_t)SIZE + column;
  const strides both = {1, ROW};
  transform_tile(in + at, both, scratch + at, both, COLUMN, tile, twiddles, true, column);
}

// The rows, from `scratch`, where fft_columns left them.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void fft(__global const float2* restrict in,
                                                                     __global float2* restrict out,
                                                                     __global const float2* restrict twiddles,
                                                                     __global float2* restrict scratch, uint first,
                                                                     uint count) {
  __local float2 tile[TILE_ROOM];
  const uint tiles = SIZE / TILE;
  const uint row = get_group_id(0) % tiles * (TILE / ROW);
  const size_t at = (first + get_group_id(0) / tiles) * (size_t)SIZE;
  const strides rows = {ROW, 1};
  const strides columns = {1, COLUMN};
  transform_tile(scratch + at + row * ROW, rows, out + at + row, columns, ROW, tile, twiddles, false, 0);
}
#else

// Work-items: one for each 8 values of transforms `first` to `first + count - 1`.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void fft(__global const float2* restrict in,
                                                                     __global float2* restrict out,
                                                                     __global const float2* restrict twiddles,
                                                                     __global float2* restrict scratch, uint first,
                                                                     uint count) {
  __local float2 tile[TILE_ROOM];
  const size_t at = first * (size_t)SIZE + get_group_id(0) * (size_t)TILE;
  const strides both = {SIZE, 1};
  transform_tile(in + at, both, out + at, both, SIZE, tile, twiddles, false, 0);
}
#endif
