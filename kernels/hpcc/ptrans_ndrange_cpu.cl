// PTRANS for CPUs: a work-item owns a matrix block. Squares as wide as a cache line are transposed in registers, so
// that every line of A, B and C is touched once and whole, and C goes past the caches. `sources` and `pitch` as
// in ptrans_single.cl.

#ifdef DATA_TYPE_IS_DOUBLE
#define SIDE 8
typedef double8 LINE;
#define LOW(a, b) (LINE)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3)
#define HIGH(a, b) (LINE)(a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7)
#else
#define SIDE 16
typedef JOIN(DATA_TYPE, 16) LINE;
#define LOW(a, b) (LINE)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7)
#define HIGH(a, b) \
  (LINE)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, a.sf, b.sf)
#endif
#define LINES_A_ROW (BLOCK_SIZE / SIDE)
#define SQUARES (LINES_A_ROW * LINES_A_ROW)
#define AHEAD (SQUARES < 4 ? SQUARES : 4)

// One round of log2(SIDE) by which the two halves are shuffled into each other; all of them transpose.
#define SHUFFLE(to, from)                                \
  _Pragma("unroll") for (int k = 0; k < SIDE / 2; ++k) { \
    to[2 * k] = LOW(from[k], from[k + SIDE / 2]);        \
    to[2 * k + 1] = HIGH(from[k], from[k + SIDE / 2]);   \
  }

// A block of C with its block of A: where they begin and how many lines it is from row to row.
typedef struct {
  __global const LINE* a;
  __global const LINE* b;
  __global LINE* c;
  ulong pitch_of_a;
  ulong pitch;
} block;

block block_of(__global const DATA_TYPE* a, __global const DATA_TYPE* received, __global const int* sources,
               __global const DATA_TYPE* b, __global DATA_TYPE* c, int pitch, int each) {
  const int source = sources[3 * each];
  const ulong at = (ulong)sources[3 * each + 2] * LINES_A_ROW;
  __global const LINE* matrix = (__global const LINE*)(source >= 0 ? received : a);
  const block found = {matrix + (ulong)(source >= 0 ? source : -1 - source) * LINES_A_ROW, (__global const LINE*)b + at,
                       (__global LINE*)c + at, sources[3 * each + 1] / SIDE, pitch / SIDE};
  return found;
}

// Squares of C are counted row by row, those of A column by column.
void fetch_square(block in, int square) {
  __global const LINE* a = in.a + square % LINES_A_ROW * SIDE * in.pitch_of_a + square / LINES_A_ROW;
  __global const LINE* b = in.b + square / LINES_A_ROW * SIDE * in.pitch + square % LINES_A_ROW;
#pragma unroll
  for (int row = 0; row < SIDE; ++row) {
    FETCH_TO_READ(&a[row * in.pitch_of_a]);
    FETCH_TO_READ(&b[row * in.pitch]);
  }
}

void add_square(block in, int square) {
  __global const LINE* a = in.a + square % LINES_A_ROW * SIDE * in.pitch_of_a + square / LINES_A_ROW;
  const ulong at = square / LINES_A_ROW * SIDE * in.pitch + square % LINES_A_ROW;
  LINE one[SIDE];
  LINE other[SIDE];
#pragma unroll
  for (int row = 0; row < SIDE; ++row) one[row] = a[row * in.pitch_of_a];
  SHUFFLE(other, one)
  SHUFFLE(one, other)
  SHUFFLE(other, one)
#if SIDE == 16
  SHUFFLE(one, other)
#define TRANSPOSED one
#else
#define TRANSPOSED other
#endif
#pragma unroll
  for (int row = 0; row < SIDE; ++row)
    STREAMING_STORE(in.b[at + row * in.pitch] + TRANSPOSED[row], &in.c[at + row * in.pitch]);
}

// The hint keeps Intel's compiler from vectorising over work-items what is in vectors already: it breaks down there.
__attribute__((vec_type_hint(LINE))) __kernel void transpose(__global const DATA_TYPE* restrict a,
                                                             __global const DATA_TYPE* restrict received,
                                                             __global const int* restrict sources,
                                                             __global const DATA_TYPE* restrict b,
                                                             __global DATA_TYPE* restrict c, const int pitch,
                                                             const int first, const int count) {
  const int each = first + (int)get_global_id(0);
  const block mine = block_of(a, received, sources, b, c, pitch, each);
  // Lines come some squares before they are turned: a row of a block is too short for the processor to see its strides.
  const block next = each + 1 < first + count ? block_of(a, received, sources, b, c, pitch, each + 1) : mine;
  for (int square = 0; square < SQUARES; ++square) {
    const int later = square + AHEAD;
    if (later < SQUARES)
      fetch_square(mine, later);
    else
      fetch_square(next, later - SQUARES);
    add_square(mine, square);
  }
}
