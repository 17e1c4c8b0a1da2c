// PTRANS for GPUs: a work-group of TILE / 4 x ROWS work-items turns one tile in local memory, whose rows are one value
// longer so that a column touches every bank. Each work-item has TILE / ROWS vectors of 4 values of A and of B on their
// way before it waits for one. `sources` and `pitch` as in ptrans_single.cl.
#if BLOCK_SIZE % 64 == 0
#define TILE 64
#define ROWS 16
#else
#define TILE 32
#define ROWS 8
#endif
#define TILES (BLOCK_SIZE / TILE)
#define EACH (TILE / ROWS)

typedef JOIN(DATA_TYPE, 4) quad;  // in place of vload4, which may not take it that addresses are multiples of 4 values

__kernel __attribute__((reqd_work_group_size(TILE / 4, ROWS, 1))) void transpose(
    __global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict received,
    __global const int* restrict sources, __global const DATA_TYPE* restrict b, __global DATA_TYPE* restrict c,
    const int pitch, const int first, const int count) {
  __local DATA_TYPE tile[TILE][TILE + 1];
  const int each = first + (int)get_group_id(1) / TILES;
  const int row = (int)get_group_id(1) % TILES * TILE;
  const int column = (int)get_group_id(0) * TILE;
  const int x = 4 * (int)get_local_id(0);
  const int y = (int)get_local_id(1);
  const int source = sources[3 * each];
  const ulong pitch_of_a = sources[3 * each + 1];
  const ulong from = (column + y) * pitch_of_a + row + x;
  const ulong to = (ulong)sources[3 * each + 2] * BLOCK_SIZE + (row + y) * (ulong)pitch + column + x;
  a = source >= 0 ? received + (ulong)source * BLOCK_SIZE : a + (ulong)(-1 - source) * BLOCK_SIZE;

  quad turned[EACH];
  quad added[EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) turned[i] = *(__global const quad*)(a + from + i * ROWS * pitch_of_a);
#pragma unroll
  for (int i = 0; i < EACH; ++i) added[i] = *(__global const quad*)(b + to + i * ROWS * pitch);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    tile[y + i * ROWS][x] = turned[i].x;
    tile[y + i * ROWS][x + 1] = turned[i].y;
    tile[y + i * ROWS][x + 2] = turned[i].z;
    tile[y + i * ROWS][x + 3] = turned[i].w;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int column_of_tile = y + i * ROWS;
    const quad values = (quad)(tile[x][column_of_tile], tile[x + 1][column_of_tile], tile[x + 2][column_of_tile],
                               tile[x + 3][column_of_tile]);
    *(__global quad*)(c + to + i * ROWS * pitch) = added[i] + values;
  }
}
