// Batched complex FFTs of 2^LOG_FFT_SIZE single-precision values for CPUs: Stockham's self-sorting algorithm (Van Loan,
// Computational Frameworks for the Fast Fourier Transform, 1.7) in passes of radix 8 and 4, every load, store and
// operation on LANES values side by side.
//
// A pass with stride s turns values q + s (p + m k), k < radix, into values q + s (radix p + j), j < radix; lanes are
// neighbouring q, so s must be a multiple of LANES. A first pass of radix LANES, whose lanes are neighbouring p,
// followed by a transposition, leads there. Up to LANES^2 values, two such passes are all, and stay in registers; the
// shortest transforms share them.
//
// Between passes, LANES complex values are stored as LANES real parts, then LANES imaginary parts.

#define LANES 16
#define LOG_LANES 4
#define SIZE (1u << LOG_FFT_SIZE)
#define SHORT (LOG_FFT_SIZE <= 2 * LOG_LANES)
#define SHORT_RADIX (SIZE / LANES)
#define TOGETHER (SHORT ? LANES / SHORT_RADIX : 1)

typedef float16 lanes;

typedef struct {
  lanes re;
  lanes im;
} complexes;

complexes add(complexes a, complexes b) {
  return (complexes){a.re + b.re, a.im + b.im};
}
complexes sub(complexes a, complexes b) {
  return (complexes){a.re - b.re, a.im - b.im};
}
complexes times_minus_i(complexes a) {
  return (complexes){a.im, -a.re};
}
complexes times(complexes a, lanes re, lanes im) {
  return (complexes){fma(a.re, re, -(a.im * im)), fma(a.re, im, a.im * re)};
}

complexes load(__global const float* from) {
  return (complexes){vload16(0, from), vload16(1, from)};
}
void store(complexes values, __global float* to) {
  vstore16(values.re, 0, to);
  vstore16(values.im, 1, to);
}

lanes zip_low(lanes a, lanes b) {
  return (lanes)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}
lanes zip_high(lanes a, lanes b) {
  return (lanes)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, a.sf, b.sf);
}

lanes zip(complexes v, bool high) {
  return high ? zip_high(v.re, v.im) : zip_low(v.re, v.im);
}

// Complex values as the host stores them, real and imaginary parts by turns.
complexes load_pairs(__global const float* from) {
  const lanes a = vload16(0, from);
  const lanes b = vload16(1, from);
  return (complexes){
      (lanes)(a.s0, a.s2, a.s4, a.s6, a.s8, a.sa, a.sc, a.se, b.s0, b.s2, b.s4, b.s6, b.s8, b.sa, b.sc, b.se),
      (lanes)(a.s1, a.s3, a.s5, a.s7, a.s9, a.sb, a.sd, a.sf, b.s1, b.s3, b.s5, b.s7, b.s9, b.sb, b.sd, b.sf)};
}
void store_pairs(complexes values, __global float* to) {
  STREAMING_STORE(zip_low(values.re, values.im), (__global lanes*)to);
  STREAMING_STORE(zip_high(values.re, values.im), (__global lanes*)to + 1);
}

// Lane l of value i goes to lane i of value l: log2(LANES) perfect shuffles.
void transpose_lanes(lanes v[LANES]) {
#pragma unroll
  for (int round = 0; round < LOG_LANES; ++round) {
    lanes shuffled[LANES];
#pragma unroll
    for (int i = 0; i < LANES / 2; ++i) {
      shuffled[2 * i] = zip_low(v[i], v[i + LANES / 2]);
      shuffled[2 * i + 1] = zip_high(v[i], v[i + LANES / 2]);
    }
#pragma unroll
    for (int i = 0; i < LANES; ++i) v[i] = shuffled[i];
  }
}

// One part after the other: both at once are more than the registers hold.
void transpose(complexes v[LANES]) {
  lanes part[LANES];
#pragma unroll
  for (int i = 0; i < LANES; ++i) part[i] = v[i].re;
  transpose_lanes(part);
#pragma unroll
  for (int i = 0; i < LANES; ++i) v[i].re = part[i];
#pragma unroll
  for (int i = 0; i < LANES; ++i) part[i] = v[i].im;
  transpose_lanes(part);
#pragma unroll
  for (int i = 0; i < LANES; ++i) v[i].im = part[i];
}

// Transforms of 4, 8 and 16 values that lie `stride` apart in v, in natural order.
void butterfly_4(complexes* v, int stride) {
  const complexes a = add(v[0], v[2 * stride]);
  const complexes b = sub(v[0], v[2 * stride]);
  const complexes c = add(v[stride], v[3 * stride]);
  const complexes d = times_minus_i(sub(v[stride], v[3 * stride]));
  v[0] = add(a, c);
  v[stride] = add(b, d);
  v[2 * stride] = sub(a, c);
  v[3 * stride] = sub(b, d);
}

void butterfly_8(complexes v[8]) {
  const lanes half_root = (lanes)(M_SQRT1_2_F);
  butterfly_4(v, 2);
  butterfly_4(v + 1, 2);
  const complexes odd[4] = {v[1], times(v[3], half_root, -half_root), times_minus_i(v[5]),
                            times(v[7], -half_root, -half_root)};
  const complexes even[4] = {v[0], v[2], v[4], v[6]};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = add(even[i], odd[i]);
    v[i + 4] = sub(even[i], odd[i]);
  }
}

// cos and sin of 2 pi k / 16, k = 0 .. 9.
__constant float cosines[10] = {1.0f,           0.9238795325f,  0.7071067812f,  0.3826834324f, 0.0f,
                                -0.3826834324f, -0.7071067812f, -0.9238795325f, -1.0f,         -0.9238795325f};
__constant float sines[10] = {0.0f,          0.3826834324f, 0.7071067812f, 0.9238795325f, 1.0f,
                              0.9238795325f, 0.7071067812f, 0.3826834324f, 0.0f,          -0.3826834324f};

// The second half of butterfly_16: the first are butterfly_4(v + i, 4) for i < 4.
void finish_16(complexes v[16]) {
#pragma unroll
  for (int k = 1; k < 4; ++k)
#pragma unroll
    for (int i = 1; i < 4; ++i) v[4 * k + i] = times(v[4 * k + i], (lanes)(cosines[k * i]), (lanes)(-sines[k * i]));
#pragma unroll
  for (int k = 0; k < 4; ++k) butterfly_4(v + 4 * k, 1);
  complexes sorted[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) sorted[i] = v[i % 4 * 4 + i / 4];
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = sorted[i];
}

void butterfly_16(complexes v[16]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) butterfly_4(v + i, 4);
  finish_16(v);
}

// Loads 16 registers whose values lie `distance` apart and transforms them, the loads of each first butterfly beside
// it.
void load_butterfly_16(complexes v[16], __global const float* from, size_t distance) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int k = i; k < 16; k += 4) v[k] = load_pairs(from + 2 * distance * k);
    butterfly_4(v + i, 4);
  }
  finish_16(v);
}

// One pass over `m * radix * stride` values; where m is 1, the last pass, all twiddle factors are 1.
// twiddles: for each p the factors of j = 1 .. radix - 1.
void pass_8(__global const float* from, __global float* to, __global const float* twiddles, uint m, uint stride) {
  for (uint p = 0; p < m; ++p, twiddles += 2 * 7)
    for (uint q = 0; q < stride; q += LANES) {
      complexes v[8];
#pragma unroll
      for (uint k = 0; k < 8; ++k) v[k] = load(from + 2 * (q + stride * (p + m * k)));
      butterfly_8(v);
      store(v[0], to + 2 * (q + stride * 8 * p));
#pragma unroll
      for (uint j = 1; j < 8; ++j)
        store(times(v[j], (lanes)(twiddles[2 * j - 2]), (lanes)(twiddles[2 * j - 1])),
              to + 2 * (q + stride * (8 * p + j)));
    }
}

void pass_4(__global const float* from, __global float* to, __global const float* twiddles, uint m, uint stride) {
  for (uint p = 0; p < m; ++p, twiddles += 2 * 3)
    for (uint q = 0; q < stride; q += LANES) {
      complexes v[4];
#pragma unroll
      for (uint k = 0; k < 4; ++k) v[k] = load(from + 2 * (q + stride * (p + m * k)));
      butterfly_4(v, 1);
      store(v[0], to + 2 * (q + stride * 4 * p));
#pragma unroll
      for (uint j = 1; j < 4; ++j)
        store(times(v[j], (lanes)(twiddles[2 * j - 2]), (lanes)(twiddles[2 * j - 1])),
              to + 2 * (q + stride * (4 * p + j)));
    }
}

void last_pass(__global const float* from, __global float* to, uint radix, uint stride) {
  for (uint q = 0; q < stride; q += LANES) {
    complexes v[8];
    if (radix == 8) {
#pragma unroll
      for (uint k = 0; k < 8; ++k) v[k] = load(from + 2 * (q + stride * k));
      butterfly_8(v);
#pragma unroll
      for (uint j = 0; j < 8; ++j) store_pairs(v[j], to + 2 * (q + stride * j));
    } else {
#pragma unroll
      for (uint k = 0; k < 4; ++k) v[k] = load(from + 2 * (q + stride * k));
      butterfly_4(v, 1);
#pragma unroll
      for (uint j = 0; j < 4; ++j) store_pairs(v[j], to + 2 * (q + stride * j));
    }
  }
}

void first_pass(__global const float* from, __global float* to, __global const float* twiddles) {
  const uint m = SIZE / LANES;
  for (uint p = 0; p < m; p += LANES) {
    complexes v[LANES];
    load_butterfly_16(v, from + 2 * p, m);
#pragma unroll
    for (uint j = 1; j < LANES; ++j, twiddles += 2 * LANES) {
      const complexes w = load(twiddles);
      v[j] = times(v[j], w.re, w.im);
    }
    transpose(v);
#pragma unroll
    for (uint i = 0; i < LANES; ++i) store(v[i], to + 2 * LANES * (p + i));
  }
}

// Up to LANES^2 values: LANES^2 / SIZE transforms at a time, SHORT_RADIX registers of each.

void load_butterflies(complexes v[LANES], __global const float* from) {
#if LOG_FFT_SIZE == 8
  load_butterfly_16(v, from, LANES);
#else
#pragma unroll
  for (uint first = 0; first < LANES; first += SHORT_RADIX) {
#pragma unroll
    for (uint i = first; i < first + SHORT_RADIX; ++i) v[i] = load_pairs(from + 2 * LANES * i);
#if LOG_FFT_SIZE == 5
    const complexes a = v[first];
    v[first] = add(a, v[first + 1]);
    v[first + 1] = sub(a, v[first + 1]);
#elif LOG_FFT_SIZE == 6
    butterfly_4(v + first, 1);
#else
    butterfly_8(v + first);
#endif
  }
#endif
}

// Results 0 .. SHORT_RADIX - 1 of each transform of the register lie together; whole lines of memory are put together
// from as many registers as it takes, for a line that is written in pieces is waited for in pieces.
void store_short(const complexes v[LANES], __global float* to) {
#if LOG_FFT_SIZE == 5
#pragma unroll
  for (int i = 0; i < LANES; i += 4)
#pragma unroll
    for (int high = 0; high < 2; ++high) {
      const lanes a = zip(v[i], high);
      const lanes b = zip(v[i + 1], high);
      const lanes c = zip(v[i + 2], high);
      const lanes d = zip(v[i + 3], high);
      const lanes ab[2] = {(lanes)(a.lo, b.lo), (lanes)(a.hi, b.hi)};
      const lanes cd[2] = {(lanes)(c.lo, d.lo), (lanes)(c.hi, d.hi)};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        __global float* line = to + 2 * SIZE * (4 * high + 2 * k) + 4 * i;
        STREAMING_STORE((lanes)(ab[k].s0123, ab[k].s89ab, cd[k].s0123, cd[k].s89ab), (__global lanes*)line);
        STREAMING_STORE((lanes)(ab[k].s4567, ab[k].scdef, cd[k].s4567, cd[k].scdef),
                        (__global lanes*)(line + 2 * SIZE));
      }
    }
#elif LOG_FFT_SIZE == 6
#pragma unroll
  for (int i = 0; i < LANES; i += 2)
#pragma unroll
    for (int high = 0; high < 2; ++high) {
      const lanes a = zip(v[i], high);
      const lanes b = zip(v[i + 1], high);
      __global float* line = to + 2 * SIZE * 2 * high + 8 * i;
      STREAMING_STORE((lanes)(a.lo, b.lo), (__global lanes*)line);
      STREAMING_STORE((lanes)(a.hi, b.hi), (__global lanes*)(line + 2 * SIZE));
    }
#else
#pragma unroll
  for (int i = 0; i < LANES; ++i)
#pragma unroll
    for (int high = 0; high < 2; ++high)
      STREAMING_STORE(zip(v[i], high),
                      (__global lanes*)(to + (LOG_FFT_SIZE == 7 ? 2 * SIZE : LANES) * high + 2 * SHORT_RADIX * i));
#endif
}

void short_transforms(__global const float* from, __global float* to, __global const float* twiddles) {
  complexes v[LANES];
  load_butterflies(v, from);
#pragma unroll
  for (uint i = 0; i < LANES; ++i)
    if (i % SHORT_RADIX != 0) {
      const complexes w = load(twiddles + 2 * LANES * (i % SHORT_RADIX - 1));
      v[i] = times(v[i], w.re, w.im);
    }
  transpose(v);
  butterfly_16(v);
  store_short(v, to);
}

// Passes after the first have radix 8, but for one or two of radix 4 before them.
#define PASS_LOG(log) (log % 3 == 0 ? 3 : 2)
#define FIRST_RADIX (SHORT ? SHORT_RADIX : LANES)

// Puts the factors of all passes one after the other, in the order in which they are used. twiddles: exp(-2 pi i k /
// SIZE), k < SIZE.
__kernel void fft_plan(__global const float2* restrict twiddles, __global float* restrict plan) {
  for (uint p = 0; p < SIZE / FIRST_RADIX; p += LANES)
    for (uint j = 1; j < FIRST_RADIX; ++j, plan += 2 * LANES)
      for (uint l = 0; l < LANES; ++l) {
        plan[l] = twiddles[(p + l) * j].x;
        plan[LANES + l] = twiddles[(p + l) * j].y;
      }
  for (uint log = LOG_FFT_SIZE - LOG_LANES; !SHORT && log > 3;) {
    const uint unit = SIZE >> log;
    const uint radix = 1 << PASS_LOG(log);
    log -= PASS_LOG(log);
    for (uint p = 0; p < 1u << log; ++p)
      for (uint j = 1; j < radix; ++j, plan += 2) vstore2(twiddles[p * j * unit], 0, plan);
  }
}

// One long transform; a, b: room for SIZE complex values each.
void long_transform(__global const float* in, __global float* out, __global const float* plan, __global float* a,
                    __global float* b) {
  first_pass(in, a, plan);
  plan += 2 * (LANES - 1) * (SIZE / LANES);
  uint stride = LANES;
  uint log = LOG_FFT_SIZE - LOG_LANES;
  while (log > 3) {
    const uint radix_log = PASS_LOG(log);
    log -= radix_log;
    if (radix_log == 3)
      pass_8(a, b, plan, 1u << log, stride);
    else
      pass_4(a, b, plan, 1u << log, stride);
    plan += 2 * ((1u << radix_log) - 1) << log;
    stride <<= radix_log;
    __global float* swapped = a;
    a = b;
    b = swapped;
  }
  last_pass(a, out, 1 << log, stride);
}

// Transforms `first` to `first + count - 1`; a work-item takes neighbouring ones, so that its core's prefetcher sees
// one stream. scratch: room for two transforms for each work-item.
__kernel void fft(__global const float* restrict in, __global float* restrict out, __global const float* restrict plan,
                  __global float* scratch, uint first, uint count) {
  const size_t groups = count / TOGETHER;
  const size_t begin = first + get_global_id(0) * groups / get_global_size(0) * TOGETHER;
  const size_t end = first + (get_global_id(0) + 1) * groups / get_global_size(0) * TOGETHER;
  scratch += get_global_id(0) * 4 * SIZE;
  for (size_t each = begin; each < end; each += TOGETHER) {
    const size_t at = each * 2 * SIZE;
#if SHORT
    short_transforms(in + at, out + at, plan);
#else
    long_transform(in + at, out + at, plan, scratch, scratch + 2 * SIZE);
#endif
  }
}
