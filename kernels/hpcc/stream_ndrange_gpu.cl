// STREAM for GPUs: neighbouring work-items touch neighbouring vectors; each moves GLOBAL_MEM_UNROLL of them, a launch
// apart.
__kernel void stream(__global const VALUES* restrict in1, __global const VALUES* restrict in2,
                     __global VALUES* restrict out, const SCALAR scalar, const ulong first, const ulong count,
                     const int second_input) {
  const VALUES factor = (VALUES)((DATA_TYPE)scalar);
  const ulong items = get_global_size(0);
  ulong at = first + get_global_id(0);
#pragma unroll
  for (int part = 0; part < GLOBAL_MEM_UNROLL; ++part, at += items)
    out[at] = second_input ? factor * in1[at] + in2[at] : factor * in1[at];
}
