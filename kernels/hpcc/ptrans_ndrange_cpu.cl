// PTRANS for CPUs: a work-item owns a matrix block. Squares as wide as a cache line are transposed in registers, so
// that every line of A, B and C is touched once and whole, and C goes past the caches. `sources` as in
// ptrans_single.cl.
#define BLOCK (BLOCK_SIZE * BLOCK_SIZE)

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

// One round of log2(SIDE) by which the two halves are shuffled into each other; all of them transpose.
#define SHUFFLE(to, from)                                \
  _Pragma("unroll") for (int k = 0; k < SIDE / 2; ++k) { \
    to[2 * k] = LOW(from[k], from[k + SIDE / 2]);        \
    to[2 * k + 1] = HIGH(from[k], from[k + SIDE / 2]);   \
  }

void add_square(__global const LINE* a, __global const LINE* b, __global LINE* c) {
  LINE one[SIDE];
  LINE other[SIDE];
#pragma unroll
  for (int row = 0; row < SIDE; ++row) one[row] = a[row * LINES_A_ROW];
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
  for (int row = 0; row < SIDE; ++row) STREAMING_STORE(b[row * LINES_A_ROW] + TRANSPOSED[row], &c[row * LINES_A_ROW]);
}

// Said because Intel's compiler breaks down where it vectorises over work-items what is in vectors already.
__attribute__((vec_type_hint(LINE))) __kernel void transpose(__global const DATA_TYPE* restrict a,
                                                             __global const DATA_TYPE* restrict received,
                                                             __global const int* restrict sources,
                                                             __global const DATA_TYPE* restrict b,
                                                             __global DATA_TYPE* restrict c, const int first,
                                                             const int count) {
  const int each = first + (int)get_global_id(0);
  const int source = sources[each];
  const ulong lines = BLOCK / SIDE;
  __global const LINE* from =
      source >= 0 ? (__global const LINE*)received + source * lines : (__global const LINE*)a + (-1 - source) * lines;
  __global const LINE* added = (__global const LINE*)b + each * lines;
  __global LINE* to = (__global LINE*)c + each * lines;
  // The next block's lines come while this one is turned: a block is too short for the processor to see its strides.
  const bool more = each + 1 < first + count;
  const int next = more ? sources[each + 1] : source;
  __global const LINE* later =
      next >= 0 ? (__global const LINE*)received + next * lines : (__global const LINE*)a + (-1 - next) * lines;
  int square = 0;
  for (int row = 0; row < BLOCK_SIZE; row += SIDE)
    for (int column = 0; column < LINES_A_ROW; ++column, ++square) {
      for (int line = square * SIDE; more && line < (square + 1) * SIDE; ++line) {
        FETCH_TO_READ(&later[line]);
        FETCH_TO_READ(&added[lines + line]);
      }
      const int at = row * LINES_A_ROW + column;
      add_square(from + column * SIDE * LINES_A_ROW + row / SIDE, added + at, to + at);
    }
}
