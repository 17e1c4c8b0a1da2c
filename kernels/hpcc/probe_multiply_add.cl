// The device's own probe for arithmetic: CHAINS independent chains of multiply-adds, in registers, that each work-item
// follows for `rounds` rounds. CHAINS covers the latency of the operation.
#define CHAINS 16

__kernel void probe_multiply_add(__global PROBE_VALUES* restrict out, const int rounds) {
  const PROBE_VALUES factor = (PROBE_VALUES)(0.5f);
  const PROBE_VALUES addend = (PROBE_VALUES)(get_global_id(0));
  PROBE_VALUES sum[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) sum[chain] = (PROBE_VALUES)(chain);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) sum[chain] = fma(sum[chain], factor, addend);
  }
#pragma unroll
  for (int chain = 1; chain < CHAINS; ++chain) sum[0] += sum[chain];
  out[get_global_id(0)] = sum[0];
}
