// Batched complex FFTs of 2^LOG_FFT_SIZE single-precision values for GPUs: Stockham's self-sorting algorithm in passes
// of radix VALUES, the last of what is left. A work-group transforms a tile of TILE values, VALUES in the registers of
// each work-item, which change hands in local memory between passes. Transforms longer than a tile are tiles of
// columns, then tiles of rows of a matrix (Van Loan, Computational Frameworks for the Fast Fourier Transform, 3.3: the
// four-step framework), of which the second also transposes. On NVIDIA's GPUs one launch does both, `fft_chained`: what
// lies between them stays in the second-level cache.
//
// Every length, stride and radix is a constant once loops are unrolled: divisions by them are shifts.

// Short transforms in octets, so that a work-item's neighbours read whole sectors of memory; tiles no larger than need
// be, because small groups wait less for one another. Of 2^13 values each work-item has 32: two groups share one of
// NVIDIA's multiprocessors if none takes more than 128 registers. The host asks for that, and the compiler heeds it
// only where no group size is required.
#define LOG_VALUES (LOG_FFT_SIZE <= 8 ? 3 : LOG_FFT_SIZE == 13 ? 5 : 4)
#if defined(__NV_CL_C_VERSION) && LOG_FFT_SIZE == 13
#define GROUP __kernel
#else
#define GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel
#endif
#if LOG_FFT_SIZE <= 8
#define LOG_TILE 10
#elif LOG_FFT_SIZE <= 11
#define LOG_TILE 11
#elif LOG_FFT_SIZE == 13
#define LOG_TILE 13
#else
#define LOG_TILE 12
#endif
#define VALUES (1u << LOG_VALUES)
#define TILE (1u << LOG_TILE)
#define ITEMS (TILE / VALUES)
#define LOG_COLUMN (LOG_FFT_SIZE / 2)
#define LOG_ROW (LOG_FFT_SIZE - LOG_COLUMN)
#define SIZE (1u << LOG_FFT_SIZE)

// In local memory transform t of a tile begins at t * pitch, and after each 16 values one is left out, so that neither
// strides of VALUES nor neighbouring transforms meet in one bank: of 16 for pairs of floats, of 32 for floats. A tile
// of 2^13 values passes through 32 KiB by halves, the real parts first.
#if LOG_TILE > 12
#define HALVES
typedef float stored;
#define PADDED(k) ((k) + (k) / 32)
#else
typedef float2 stored;
#define PADDED(k) ((k) + (k) / 16)
#endif
#define INLINE static inline __attribute__((always_inline))
#define TILE_ROOM (PADDED(TILE) + 64)

INLINE float2 times(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
INLINE float2 times_minus_i(float2 a) {
  return (float2)(a.y, -a.x);
}

INLINE void butterfly_2(float2* v, int stride) {
  const float2 a = v[0];
  v[0] = a + v[stride];
  v[stride] = a - v[stride];
}

INLINE void butterfly_4(float2* v, int stride) {
  butterfly_2(v, 2 * stride);
  butterfly_2(v + stride, 2 * stride);
  v[3 * stride] = times_minus_i(v[3 * stride]);
  butterfly_2(v, stride);
  butterfly_2(v + 2 * stride, stride);
  const float2 second = v[stride];
  v[stride] = v[2 * stride];
  v[2 * stride] = second;
}

INLINE void butterfly_8(float2* v) {
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

// cos and sin of pi / 8
#define COS_8 0.92387953251128674f
#define SIN_8 0.38268343236508977f

INLINE void butterfly_16(float2* v) {
#pragma unroll
  for (int i = 0; i < 4; ++i) butterfly_4(v + i, 4);
  v[5] = times(v[5], (float2)(COS_8, -SIN_8));
  v[6] = times(v[6], (float2)(M_SQRT1_2_F, -M_SQRT1_2_F));
  v[7] = times(v[7], (float2)(SIN_8, -COS_8));
  v[9] = times(v[9], (float2)(M_SQRT1_2_F, -M_SQRT1_2_F));
  v[10] = times_minus_i(v[10]);
  v[11] = times(v[11], (float2)(-M_SQRT1_2_F, -M_SQRT1_2_F));
  v[13] = times(v[13], (float2)(SIN_8, -COS_8));
  v[14] = times(v[14], (float2)(-M_SQRT1_2_F, -M_SQRT1_2_F));
  v[15] = times(v[15], (float2)(-COS_8, SIN_8));
#pragma unroll
  for (int i = 0; i < 4; ++i) butterfly_4(v + 4 * i, 1);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < i; ++j) {
      const float2 kept = v[4 * i + j];
      v[4 * i + j] = v[4 * j + i];
      v[4 * j + i] = kept;
    }
}

INLINE void butterfly_32(float2* v) {
  const float cosines[9] = {1.0f,         0.98078528f,  0.923879533f, 0.831469612f, 0.707106781f,
                            0.555570233f, 0.382683432f, 0.195090322f, 0.0f};  // of k pi / 16
  float2 even[16];
  float2 odd[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    even[i] = v[2 * i];
    odd[i] = v[2 * i + 1];
  }
  butterfly_16(even);
  butterfly_16(odd);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float2 root = i <= 8 ? (float2)(cosines[i], -cosines[8 - i]) : (float2)(-cosines[16 - i], -cosines[i - 8]);
    const float2 turned = times(odd[i], root);
    v[i] = even[i] + turned;
    v[i + 16] = even[i] - turned;
  }
}

INLINE void butterflies(float2 v[VALUES], uint radix) {
#pragma unroll
  for (uint i = 0; i < VALUES; i += radix) {
    if (radix == 32)
      butterfly_32(v + i);
    else if (radix == 16)
      butterfly_16(v + i);
    else if (radix == 8)
      butterfly_8(v + i);
    else if (radix == 4)
      butterfly_4(v + i, 1);
    else
      butterfly_2(v + i, 1);
  }
}

// v[j] *= start root^j, by two chains: shorter and more accurate than one.
INLINE void turn(float2* v, uint count, float2 start, float2 root) {
  const float2 square = times(root, root);
  float2 even = start;
  float2 odd = times(start, root);
#pragma unroll
  for (uint j = 0; j < count; j += 2) {
    v[j] = times(v[j], even);
    v[j + 1] = times(v[j + 1], odd);
    even = times(even, square);
    odd = times(odd, square);
  }
}

// What is done with memory: nothing special; passed through once, and not to be kept in a cache; or written by one
// group and read by another of the same launch, past the first-level cache, which does not see the others'.
#define PLAIN 0
#define ONCE 1
#define HANDED_ON 2

// The layout of one side of a tile: value k of transform t lies at t * of_transform + k * of_value.
typedef struct {
  uint of_transform;
  uint of_value;
  uint way;
} side;

INLINE float2 load(__global const float2* from, uint way) {
#ifdef __NV_CL_C_VERSION
  float2 value;
  if (way == ONCE) {
    asm volatile("ld.global.cs.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from));
    return value;
  }
  if (way == HANDED_ON) {
    asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from) : "memory");
    return value;
  }
#endif
  return *from;
}

INLINE void store(__global float2* to, float2 value, uint way) {
#ifdef __NV_CL_C_VERSION
  if (way == ONCE) {
    asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" : : "l"(to), "f"(value.x), "f"(value.y) : "memory");
    return;
  }
#endif
  *to = value;
}

// The transform and the first value of this work-item's butterfly b; the values of the butterfly are length / radix
// apart. Neighbouring work-items take neighbours in memory.
INLINE uint2 place(uint b, uint length, uint radix, bool transforms_are_neighbours) {
  const uint index = get_local_id(0) + b * ITEMS;
  if (transforms_are_neighbours) return (uint2)(index % (TILE / length), index / (TILE / length));
  return (uint2)(index / (length / radix), index % (length / radix));
}

// The index of input i of a pass in local memory.
INLINE uint input(uint i, uint length, uint radix, uint pitch, bool neighbours) {
  const uint2 at = place(i / radix, length, radix, neighbours);
  return at.x * pitch + PADDED(at.y + length / radix * (i % radix));
}

// Outputs of a pass, `stride` values apart from `first` on in transform `transform`, to the work-items whose inputs
// they are in the next, which is of `radix`.
#define OUTPUT(j) (transform * pitch + PADDED(first + stride * (j)))
INLINE void exchange(float2 v[VALUES], __local stored* tile, uint transform, uint first, uint stride, uint length,
                     uint radix, uint pitch, bool neighbours) {
#ifdef HALVES
#pragma unroll
  for (uint j = 0; j < VALUES; ++j) tile[OUTPUT(j)] = v[j].x;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint i = 0; i < VALUES; ++i) v[i].x = tile[input(i, length, radix, pitch, neighbours)];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint j = 0; j < VALUES; ++j) tile[OUTPUT(j)] = v[j].y;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint i = 0; i < VALUES; ++i) v[i].y = tile[input(i, length, radix, pitch, neighbours)];
#else
#pragma unroll
  for (uint j = 0; j < VALUES; ++j) tile[OUTPUT(j)] = v[j];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint i = 0; i < VALUES; ++i) v[i] = tile[input(i, length, radix, pitch, neighbours)];
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
}

INLINE void pass(uint number, float2 v[VALUES], __local stored* tile, uint log_length, uint pitch, bool neighbours,
                 bool neighbours_next, __global const float2* twiddles) {
  const uint length = 1u << log_length;
  const uint stride = 1u << (number * LOG_VALUES);
  const uint log_left = log_length - (number + 1) * LOG_VALUES;
  const uint radix_next = log_left < LOG_VALUES ? 1u << log_left : VALUES;
  const uint2 at = place(0, length, VALUES, neighbours);
  const uint q = at.y % stride;
  const uint p = at.y / stride;
  butterflies(v, VALUES);
  turn(v, VALUES, (float2)(1, 0), twiddles[p * stride * (SIZE / length)]);
  exchange(v, tile, at.x, q + stride * VALUES * p, stride, length, radix_next, pitch, neighbours_next);
}

// Transforms the tile at `in` into `out`; with `turns`, value k of transform t is turned by twiddles[k * (first + t)]
// then.
INLINE void transform_tile(__global const float2* in, side from, __global float2* out, side to, uint log_length,
                           __local stored* tile, __global const float2* twiddles, bool turns, uint first) {
  const uint length = 1u << log_length;
  const uint passes = (log_length + LOG_VALUES - 1) / LOG_VALUES;
  const uint last_radix = 1u << (log_length - (passes - 1) * LOG_VALUES);
  const bool neighbours_in = from.of_transform == 1;
  const bool neighbours_out = to.of_transform == 1;
  const uint apart = neighbours_in || neighbours_out ? max(1u, 16 * length / TILE) : 0;
  const uint pitch = PADDED(length) + apart;

  float2 v[VALUES];
  const uint2 start = place(0, length, VALUES, neighbours_in);
#pragma unroll
  for (uint k = 0; k < VALUES; ++k)
    v[k] = load(in + start.x * from.of_transform + (size_t)(start.y + length / VALUES * k) * from.of_value, from.way);

  // One by one: the compilers unroll no loop of these, but each needs its constants.
  if (passes > 1) pass(0, v, tile, log_length, pitch, neighbours_in, neighbours_out, twiddles);
  if (passes > 2) pass(1, v, tile, log_length, pitch, neighbours_out, neighbours_out, twiddles);
  if (passes > 3) pass(2, v, tile, log_length, pitch, neighbours_out, neighbours_out, twiddles);
  if (passes > 4) pass(3, v, tile, log_length, pitch, neighbours_out, neighbours_out, twiddles);

  butterflies(v, last_radix);
#pragma unroll
  for (uint b = 0; b < VALUES / last_radix; ++b) {
    const uint2 at = place(b, length, last_radix, neighbours_out);
    float2* of_butterfly = v + b * last_radix;
    if (turns)
      turn(of_butterfly, last_radix, twiddles[at.y * (first + at.x)], twiddles[length / last_radix * (first + at.x)]);
#pragma unroll
    for (uint i = 0; i < last_radix; ++i)
      store(out + at.x * to.of_transform + (size_t)(at.y + length / last_radix * i) * to.of_value, of_butterfly[i],
            to.way);
  }
}

#if LOG_FFT_SIZE > LOG_TILE
#define COLUMN (1u << LOG_COLUMN)
#define ROW (1u << LOG_ROW)
#define TILES (SIZE / TILE)

// Columns of the transform at `in`, turned, to their places in `middle`; `part` of its tiles.
INLINE void transform_columns(__global const float2* in, uint way_in, __global float2* middle, uint way_out, uint part,
                              __local stored* tile, __global const float2* twiddles) {
  const uint column = part * (TILE / COLUMN);
  const side from = {1, ROW, way_in};
  const side to = {1, ROW, way_out};
  transform_tile(in + column, from, middle + column, to, LOG_COLUMN, tile, twiddles, true, column);
}

// Rows of what transform_columns left in `middle`.
INLINE void transform_rows(__global const float2* middle, uint way_in, __global float2* out, uint way_out, uint part,
                           __local stored* tile, __global const float2* twiddles) {
  const uint row = part * (TILE / ROW);
  const side from = {ROW, 1, way_in};
  const side to = {1, COLUMN, way_out};
  transform_tile(middle + row * ROW, from, out + row, to, LOG_ROW, tile, twiddles, false, 0);
}

GROUP void fft_columns(__global const float2* restrict in, __global float2* restrict scratch,
                       __global const float2* restrict twiddles, uint first) {
  __local stored tile[TILE_ROOM];
  const size_t at = (first + get_group_id(0) / TILES) * (size_t)SIZE;
  transform_columns(in + at, PLAIN, scratch + at, PLAIN, get_group_id(0) % TILES, tile, twiddles);
}

// Transforms the rows in `scratch`, where fft_columns left its results.
GROUP void fft(__global const float2* restrict in, __global float2* restrict out,
               __global const float2* restrict twiddles, __global float2* restrict scratch, uint first, uint count) {
  __local stored tile[TILE_ROOM];
  const size_t at = (first + get_group_id(0) / TILES) * (size_t)SIZE;
  transform_rows(scratch + at, PLAIN, out + at, PLAIN, get_group_id(0) % TILES, tile, twiddles);
}

#ifdef __NV_CL_C_VERSION
// Transforms whose columns are done before their rows, and slots of `scratch` for what lies between: 16 and 32 MiB of
// the second-level cache.
#define AHEAD ((1u << 21) / SIZE)
#define SLOTS (2 * AHEAD)

// Waits until `counter` has come to `least`; counters go on from launch to launch, and around.
INLINE void await(__global volatile uint* counter, uint least) {
  if (get_local_id(0) == 0) {
    uint now;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    } while ((int)(now - least) < 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// Says that this group has done what `counter` counts.
INLINE void tell(__global volatile uint* counter) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    atomic_inc(counter);
  }
}

// Both steps in one launch of two groups a tile. A group draws a number, which says what it does: the columns of AHEAD
// transforms, then rows and columns by turns, then what is left of the rows. It waits only for groups that drew smaller
// numbers, which run. `counters` are zeros before the first launch, `round` is the number of launches before: one that
// groups draw from, then for each transform the tiles whose columns, and whose rows, are done.
GROUP void fft_chained(__global const float2* restrict in, __global float2* restrict out,
                       __global const float2* restrict twiddles, __global float2* scratch,
                       __global volatile uint* counters, uint first, uint count, uint round) {
  __local stored tile[TILE_ROOM];
  __local uint drawn;
  if (get_local_id(0) == 0) drawn = atomic_inc(counters) - round * (2 * count * TILES);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint part = drawn % TILES;
  const uint step = drawn / TILES;
  const uint ahead = min(AHEAD, count);
  const uint alternate = 2 * (count - ahead);
  const bool rows = step >= ahead && (step - ahead >= alternate || (step - ahead) % 2 == 0);
  const uint transform = step < ahead               ? step
                         : step - ahead < alternate ? (step - ahead) / 2 + (rows ? 0 : ahead)
                                                    : step - count;
  __global volatile uint* columns_done = counters + 1;
  __global volatile uint* rows_done = columns_done + count;
  const uint all = (round + 1) * TILES;
  const size_t at = (first + transform) * (size_t)SIZE;
  __global float2* middle = scratch + transform % SLOTS * (size_t)SIZE;
  if (rows) {
    await(columns_done + transform, all);
    transform_rows(middle, HANDED_ON, out + at, ONCE, part, tile, twiddles);
    tell(rows_done + transform);
  } else {
    if (transform >= SLOTS) await(rows_done + transform - SLOTS, all);
    transform_columns(in + at, ONCE, middle, HANDED_ON, part, tile, twiddles);
    tell(columns_done + transform);
  }
}
#endif
#else

// Work-items: one for each VALUES values of transforms `first` to `first + count - 1`.
GROUP void fft(__global const float2* restrict in, __global float2* restrict out,
               __global const float2* restrict twiddles, __global float2* restrict scratch, uint first, uint count) {
  __local stored tile[TILE_ROOM];
  const size_t at = first * (size_t)SIZE + get_group_id(0) * (size_t)TILE;
  const side both = {SIZE, 1, PLAIN};
  transform_tile(in + at, both, out + at, both, LOG_FFT_SIZE, tile, twiddles, false, 0);
}
#endif
