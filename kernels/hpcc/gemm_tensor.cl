// C_out = alpha A B + beta C in double precision with the matrix instruction of NVIDIA GPUs from compute capability 9.0
// on, by inline PTX (PTX ISA: mma.m16n8k16 .f64, cp.async). A device whose compiler refuses this file takes
// gemm_ndrange_gpu.cl.
//
// A work-group of 8 warps computes one BLOCK_SIZE x BLOCK_SIZE tile of C; a warp 64 x 32 values of it in registers.
// Slices of A, DEPTH deep, are copied into local memory past the registers, STAGES - 1 of them ahead. B goes straight
// to the registers: only two warps share a value of it, and the first-level cache serves the second. So 48 KiB of local
// memory do for slices that are deep enough for the barriers between them to cost little.
#ifndef __NV_CL_C_VERSION
#error "inline PTX is NVIDIA's"
#endif
#if BLOCK_SIZE != 128
#error "a tile has 128 rows and columns: STAGES slices of A fill 48 KiB of local memory"
#endif

#define DEPTH 16  // of the instruction
#define STAGES 3
#define WARPS_X 4
#define WARP_ROWS 64
#define WARP_COLUMNS 32
#define WORK_ITEMS 256
#define HALF (WORK_ITEMS / 2)    // the work-items that share rows of A
#define TILES_Y (WARP_ROWS / 8)  // of the instruction in a warp's part
#define TILES_X (WARP_COLUMNS / 16)
#define PAIRS (DEPTH / 2)  // of values in a row of a slice
#define FETCHES (BLOCK_SIZE * PAIRS / WORK_ITEMS)
#define PREFETCHED 3  // depths between what is fetched into the second-level cache and what is used
#define BAND 8u       // as in gemm_ndrange_gpu.cl

// One slice of A. The halves of every other row change places (`swizzled`), so that the two rows that neighbours read
// at once lie in different banks.
typedef struct {
  double2 a[BLOCK_SIZE][PAIRS];
} __attribute__((aligned(16))) slice;

uint swizzled(uint row, uint pair) {
  return pair ^ (row % 2 * (PAIRS / 2));
}

void copy_16_bytes(__local double2* to, __global const double* from) {
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(size_t)to), "l"(from) : "memory");
}

// Starts to copy one slice; all copies since the last `end_group` are a group.
void fetch(__local slice* to, __global const double* a, size_t size, uint item) {
#pragma unroll
  for (uint f = 0; f < FETCHES; ++f) {
    const uint row = item / HALF * WARP_ROWS + (item % HALF + f * HALF) / PAIRS;
    const uint pair = item % PAIRS;
    copy_16_bytes(&to->a[row][swizzled(row, pair)], a + row * size + 2 * pair);
  }
}

void end_group(void) {
  __asm__ volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all groups but that many are there.
#define wait_for_groups_but(count) __asm__ volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")

// The warps of the upper rows and those of the lower ones share nothing but what is read, so each four wait by
// themselves, and one half works while the other waits.
void barrier_of_half(uint item) {
  __asm__ volatile("bar.sync %0, %1;" ::"r"(1 + item / HALF), "n"(HALF) : "memory");
}

// The lines of B's DEPTH rows from `b` on into the second-level cache.
void prefetch_b(__global const double* b, size_t size, uint item) {
  if (item < DEPTH * BLOCK_SIZE / 16)
    __asm__ volatile(
        "prefetch.global.L2 [%0];" ::"l"(b + item / (BLOCK_SIZE / 16) * size + item % (BLOCK_SIZE / 16) * 16));
}

// One instruction, which multiplies 16 x 16 by 16 x 8 values. Its 16 x 16 are of B, transposed, the even columns before
// the odd ones, and its 16 x 8 of A, so that what a work-item reads at once lies in registers as the instruction wants
// it. Its k is the index of a sum, so any order will do that is the same in both: work-item t of 4 has k = 2 t, 2 t + 1
// and 8 behind these.
void multiply_add(double sum[4], const double2 b[4], const double2 a[2]) {
  __asm__ volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(b[0].x), "d"(b[0].y), "d"(b[1].x), "d"(b[1].y), "d"(b[2].x), "d"(b[2].y), "d"(b[3].x), "d"(b[3].y),
        "d"(a[0].x), "d"(a[0].y), "d"(a[1].x), "d"(a[1].y));
}

// What one work-item has of DEPTH rows of B in registers.
typedef struct {
  double2 values[TILES_X][4];
} fragment_of_b;

// What one work-item has of DEPTH columns of A in registers: two rows of tiles.
typedef struct {
  double2 values[2][2];
} fragment_of_a;

// The work-item's position: the first row and column of its warp, and its place in the instruction.
typedef struct {
  uint row;
  uint column;
  uint g;
  uint t;
} position;

void load_b(fragment_of_b* to, __global const double* b, size_t size, position at) {
#pragma unroll
  for (uint x = 0; x < TILES_X; ++x)
#pragma unroll
    for (uint i = 0; i < 4; ++i)
      to->values[x][i] =
          *(__global const double2*)(b + (i / 2 * 8 + 2 * at.t + i % 2) * size + at.column + 16 * x + 2 * at.g);
}

void load_a(fragment_of_a* to, __local const slice* from, position at, uint pair) {
#pragma unroll
  for (uint y = 0; y < 2; ++y)
#pragma unroll
    for (uint i = 0; i < 2; ++i)
      to->values[y][i] = from->a[at.row + 16 * pair + 8 * y + at.g][swizzled(at.g, i * (PAIRS / 2) + at.t)];
}

void multiply(const fragment_of_b* b, const fragment_of_a* a, double sum[TILES_Y][TILES_X][4], uint pair) {
#pragma unroll
  for (uint y = 0; y < 2; ++y)
#pragma unroll
    for (uint x = 0; x < TILES_X; ++x) multiply_add(sum[2 * pair + y][x], b->values[x], a->values[y]);
}

uint2 tile_of_group(uint rows) {
  const uint columns = get_num_groups(0);
  const uint group = get_group_id(1) * columns + get_group_id(0);
  const uint first = group / (BAND * columns) * BAND;
  const uint band = min(BAND, rows - first);
  const uint index = group % (BAND * columns);
  return (uint2)(index / band, first + index % band);
}

// One slice: what comes next is read while the instruction works on what is there.
static inline __attribute__((always_inline)) void multiply_slice(fragment_of_b* now, fragment_of_b* next,
                                                                 fragment_of_a* even, fragment_of_a* odd,
                                                                 __local slice stage[STAGES], uint* current,
                                                                 __global const double* a, __global const double* b,
                                                                 size_t size, uint k, uint item, position at,
                                                                 double sum[TILES_Y][TILES_X][4]) {
  __local slice* used = &stage[*current];
  *current = *current == STAGES - 1 ? 0 : *current + 1;
  prefetch_b(b + (size_t)min(k + PREFETCHED * DEPTH, (uint)size - DEPTH) * size, size, item);
  load_b(next, b + (size_t)min(k + DEPTH, (uint)size - DEPTH) * size, size, at);
  multiply(now, even, sum, 0);
  load_a(even, used, at, 2);
  multiply(now, odd, sum, 1);
  load_a(odd, used, at, 3);
  multiply(now, even, sum, 2);
  wait_for_groups_but(STAGES - 2);
  barrier_of_half(item);
  // All of this half have read the slice, and the next is there.
  const uint ahead = k + STAGES * DEPTH;
  if (ahead < size) fetch(used, a + ahead, size, item);
  end_group();
  load_a(even, &stage[*current], at, 0);
  multiply(now, odd, sum, 3);
  load_a(odd, &stage[*current], at, 1);
}

// Groups: columns of tiles by the `blocks` rows of tiles, of which the first is `first_block`.
__attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) __kernel void gemm(
    __global const double* restrict a, __global const double* restrict b, __global const double* c,
    __global double* c_out, double alpha, double beta, uint size, uint first_block, uint blocks) {
  __local slice stage[STAGES];
  const uint item = get_local_id(0);
  const uint2 tile = tile_of_group(blocks);
  const uint warp = item / 32;
  const position at = {
      .row = warp / WARPS_X * WARP_ROWS, .column = warp % WARPS_X * WARP_COLUMNS, .g = item % 32 / 4, .t = item % 4};
  a += (size_t)(tile.y + first_block) * BLOCK_SIZE * size;
  b += (size_t)tile.x * BLOCK_SIZE;

  double sum[TILES_Y][TILES_X][4];
#pragma unroll
  for (uint y = 0; y < TILES_Y; ++y)
#pragma unroll
    for (uint x = 0; x < TILES_X; ++x)
#pragma unroll
      for (uint i = 0; i < 4; ++i) sum[y][x][i] = 0;

#pragma unroll
  for (uint s = 0; s < STAGES; ++s) {
    fetch(&stage[s], a + s * DEPTH, size, item);
    end_group();
  }
  fragment_of_b b_now;
  fragment_of_b b_next;
  fragment_of_a a_even;
  fragment_of_a a_odd;
  load_b(&b_now, b, size, at);
  wait_for_groups_but(STAGES - 1);
  barrier_of_half(item);
  load_a(&a_even, &stage[0], at, 0);
  load_a(&a_odd, &stage[0], at, 1);
  uint current = 0;
#pragma unroll 1
  for (uint k = 0; k < size; k += DEPTH) {
    multiply_slice(&b_now, &b_next, &a_even, &a_odd, stage, &current, a, b, size, k, item, at, sum);
    b_now = b_next;
  }

  const size_t first = ((size_t)(tile.y + first_block) * BLOCK_SIZE + at.row + 2 * at.t) * size + tile.x * BLOCK_SIZE +
                       at.column + 2 * at.g;
#pragma unroll
  for (uint y = 0; y < TILES_Y; ++y)
#pragma unroll
    for (uint x = 0; x < TILES_X; ++x)
#pragma unroll
      for (uint i = 0; i < 2; ++i) {
        const size_t to = first + (8 * y + i) * size + 16 * x;
        *(__global double2*)(c_out + to) =
            alpha * (double2)(sum[y][x][i], sum[y][x][2 + i]) + beta * *(__global const double2*)(c + to);
      }
}
