// The device's own probe for memory: reads one or two arrays and writes one, PROBE_VALUES at a time, with no parameter
// but the number of arrays. A work-item moves `stretch` pieces that lie `stride` apart, from `begin` on. PROBE_STREAMS:
// past the caches, which is quicker for arrays that they do not hold, and slower for others.
#if PROBE_STREAMS
#define STORE(value, address) STREAMING_STORE(value, address)
#else
#define STORE(value, address) (*(address) = (value))
#endif

__kernel void probe_memory(__global const PROBE_VALUES* restrict in1, __global const PROBE_VALUES* restrict in2,
                           __global PROBE_VALUES* restrict out, const int inputs, const ulong stretch,
                           const ulong item_step, const ulong stride) {
  ulong at = get_global_id(0) * item_step;
  if (inputs == 2) {
    for (ulong k = 0; k < stretch; ++k, at += stride) STORE(in1[at] + in2[at], &out[at]);
  } else {
    for (ulong k = 0; k < stretch; ++k, at += stride) STORE(in1[at], &out[at]);
  }
}
