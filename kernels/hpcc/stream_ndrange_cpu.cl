// STREAM for CPUs: a work-item owns a stretch of DEVICE_BUFFER_SIZE values, so that a core's prefetcher sees one stream
// for each array, in vectors of a cache line, and the result goes past the caches.
#define STRETCH (DEVICE_BUFFER_SIZE / VECTOR_COUNT)

__kernel void stream(__global const VALUES* restrict in1, __global const VALUES* restrict in2,
                     __global VALUES* restrict out, const SCALAR scalar, const ulong first, const ulong count,
                     const int second_input) {
  const ulong start = first + get_global_id(0) * STRETCH;
  const VALUES factor = (VALUES)((DATA_TYPE)scalar);
  if (second_input) {
    for (ulong k = start; k < start + STRETCH; ++k) STREAMING_STORE(factor * in1[k] + in2[k], &out[k]);
  } else {
    for (ulong k = start; k < start + STRETCH; ++k) STREAMING_STORE(factor * in1[k], &out[k]);
  }
}
