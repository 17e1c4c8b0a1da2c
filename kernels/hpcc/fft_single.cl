// Batched complex FFTs of 2^LOG_FFT_SIZE single-precision values as one pipeline without channels: LANES values enter
// and LANES leave each cycle (8, as in meyer2024 3.1.4 and equation 3.1).
//
// Lane l takes the values l + LANES t. Its stages transform them, decimation in frequency, each with two delay lines
// that carry values forward only, so that nothing waits for the result of an addition; DEPTH-th roots, in bit-reversed
// order, leave all lanes together. One transform across the lanes makes values k + DEPTH j, j < LANES, of them, which a
// double buffer puts into natural order. Value k + DEPTH j is in bank (k + j) % LANES of the buffer: both the values
// of one k and LANES neighbours lie in different banks.
//
// All memories are written and read again in other iterations of one loop, some in the very next, so nothing is said to
// be independent: what is read is never needed for what is written there, which is what lets a compiler start an
// iteration each cycle.

#if LOG_FFT_SIZE < 6
#define LOG_LANES 2
#else
#define LOG_LANES 3
#endif
#define LANES (1 << LOG_LANES)
#define LOG_DEPTH (LOG_FFT_SIZE - LOG_LANES)
#define DEPTH (1 << LOG_DEPTH)
#define SIZE (1 << LOG_FFT_SIZE)

float2 times(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

uint reversed(uint value, int bits) {
  uint result = 0;
  UNROLLED(32)
  for (int bit = 0; bit < bits; ++bit) result |= (value >> bit & 1) << (bits - 1 - bit);
  return result;
}

// The transform across the lanes, radix 2, decimation in time.
void across(float2 v[LANES]) {
  const float2 roots[4] = {(float2)(1, 0), (float2)(M_SQRT1_2_F, -M_SQRT1_2_F), (float2)(0, -1),
                           (float2)(-M_SQRT1_2_F, -M_SQRT1_2_F)};
  float2 sorted[LANES];
  UNROLLED(LANES)
  for (int l = 0; l < LANES; ++l) sorted[l] = v[reversed(l, LOG_LANES)];
  UNROLLED(LOG_LANES)
  for (int stage = 0; stage < LOG_LANES; ++stage) {
    const int half_span = 1 << stage;
    UNROLLED(LANES / 2)
    for (int pair = 0; pair < LANES / 2; ++pair) {
      const int low = pair / half_span * 2 * half_span + pair % half_span;
      const float2 turned = times(sorted[low + half_span], roots[pair % half_span * (4 / half_span)]);
      sorted[low + half_span] = sorted[low] - turned;
      sorted[low] += turned;
    }
  }
  UNROLLED(LANES)
  for (int l = 0; l < LANES; ++l) v[l] = sorted[l];
}

// values[lane] goes to lane (lane + by) % LANES.
void rotate_lanes(float2 values[LANES], uint by) {
  UNROLLED(LOG_LANES)
  for (uint bit = 0; bit < LOG_LANES; ++bit) {
    float2 turned[LANES] PARTITIONED(1);
    const uint step = 1 << bit;
    UNROLLED(LANES)
    for (uint lane = 0; lane < LANES; ++lane) turned[(lane + step) % LANES] = values[lane];
    UNROLLED(LANES)
    for (uint lane = 0; lane < LANES; ++lane) values[lane] = by & step ? turned[lane] : values[lane];
  }
}

// One stage of all lanes: of values that lie `delay` cycles apart, first the sum leaves, `delay` cycles after the first
// of them came, then the difference times its root.
void stage(float2 v[LANES], __local float2 (*early)[LANES], __local float2 (*late)[LANES],
           __local const float2 (*roots)[1], uint delay, size_t step) {
  const uint at = step % delay;
  const bool second_half = step / delay % 2 == 1;
  const float2 root = roots[at][0];
  UNROLLED(LANES)
  for (uint l = 0; l < LANES; ++l) {
    const float2 a = early[at][l];
    const float2 b = v[l];
    v[l] = second_half ? a + b : late[at][l];
    if (second_half)
      late[at][l] = times(a - b, root);
    else
      early[at][l] = b;
  }
}

// Memories of their own for each stage, so that all stages work in the same cycle.
#define FOR_EACH_STAGE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define DELAY(S) (S < LOG_DEPTH ? DEPTH >> (S + 1) : 1)
#define DECLARE(S)                                   \
  MEMORY(__local float2, early##S, DELAY(S), LANES); \
  MEMORY(__local float2, late##S, DELAY(S), LANES);  \
  MEMORY(__local float2, roots##S, DELAY(S), 1);
#define FILL(S)      \
  if (S < LOG_DEPTH) \
    for (uint at = 0; at < DELAY(S); ++at) roots##S[at][0] = twiddles[at * (SIZE / 2 / DELAY(S))];
#define RUN(S) \
  if (S < LOG_DEPTH) stage(v, early##S, late##S, roots##S, DELAY(S), step);

// twiddles: exp(-2 pi i k / SIZE), k < SIZE. Transforms `first` to `first + count - 1`.
SINGLE_WORK_ITEM
__kernel void fft(__global const float2* restrict in, __global float2* restrict out,
                  __global const float2* restrict twiddles, __global float2* restrict scratch, uint first, uint count) {
  FOR_EACH_STAGE(DECLARE)
  MEMORY(__local float2, turns, DEPTH, LANES);
  MEMORY(__local float2, results, 2 * DEPTH, LANES);

  FOR_EACH_STAGE(FILL)
  for (uint k = 0; k < DEPTH; ++k)
    for (uint l = 0; l < LANES; ++l) turns[k][l] = twiddles[k * l];

  in += (size_t)first * SIZE;
  out += (size_t)first * SIZE;
  // A value spends DEPTH - 1 cycles in the delay lines, one more here, and DEPTH in the buffer.
  const size_t steps = (size_t)(count + 2) * DEPTH;
  PIPELINED
  for (size_t step = 0; step < steps; ++step) {
    float2 v[LANES] PARTITIONED(1);
    UNROLLED(LANES)
    for (uint l = 0; l < LANES; ++l) v[l] = step < (size_t)count * DEPTH ? in[step * LANES + l] : (float2)(0);

    FOR_EACH_STAGE(RUN)

    const size_t done = step - (DEPTH - 1);
    const uint k = reversed(done % DEPTH, LOG_DEPTH);
    UNROLLED(LANES)
    for (uint l = 0; l < LANES; ++l) v[l] = times(v[l], turns[k][l]);
    across(v);

    // Values n = row LANES + j of the transform before this one are in the half of the buffer that is not written now.
    const uint filled = done / DEPTH % 2 * DEPTH;
    const size_t stored = done - DEPTH;
    const uint row = stored % DEPTH;
    float2 sorted[LANES] PARTITIONED(1);
    UNROLLED(LANES)
    for (uint bank = 0; bank < LANES; ++bank) sorted[bank] = results[DEPTH - filled + row][bank];
    rotate_lanes(v, k % LANES);
    UNROLLED(LANES)
    for (uint bank = 0; bank < LANES; ++bank)
      results[filled + (k + DEPTH * ((bank - k) % LANES)) / LANES][bank] = v[bank];
    rotate_lanes(sorted, (LANES - row * LANES / DEPTH) % LANES);
    UNROLLED(LANES)
    for (uint j = 0; j < LANES; ++j)
      if (step >= 2 * DEPTH - 1 && stored < (size_t)count * DEPTH) out[stored * LANES + j] = sorted[j];
  }
}
