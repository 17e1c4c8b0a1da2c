// The rows of a table, 64 bytes each, whose first 64 bit are below those of `predicate`: they come one behind the other
// in `selected`; `tail` holds their bytes, and how many rows were looked at. One work item, as HLS tools pipeline it.
__kernel void table_select(__global const long8* restrict rows, __global long8* restrict selected,
                           __global ulong8* restrict tail, __global const long8* restrict predicate, int count) {
  const long below = predicate[0].s0;
  ulong kept = 0;
  for (int i = 0; i < count; ++i) {
    const long8 row = rows[i];
    if (row.s0 < below) selected[kept++] = row;
  }
  tail[0] = (ulong8)(kept * 64, (ulong)count, 0, 0, 0, 0, 0, 0);
}
