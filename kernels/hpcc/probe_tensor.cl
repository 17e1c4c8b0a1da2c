// The device's own probe of its matrix instruction for doubles, by NVIDIA's inline PTX: CHAINS independent chains of
// it. Each makes 32 multiply-adds for each work-item.
#ifndef __NV_CL_C_VERSION
#error "inline PTX is NVIDIA's"
#endif
#define CHAINS 8

__kernel void probe_tensor(__global double* restrict out, const int rounds) {
  const double factor = 0.5 / 8;
  double sum[CHAINS][4];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain)
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[chain][i] = chain;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
      __asm__ volatile(
          "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
          : "+d"(sum[chain][0]), "+d"(sum[chain][1]), "+d"(sum[chain][2]), "+d"(sum[chain][3])
          : "d"(factor));
  }
  double all = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) all += sum[chain][0] + sum[chain][1] + sum[chain][2] + sum[chain][3];
  out[get_global_id(0)] = all;
}
