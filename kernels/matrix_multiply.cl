// The product of two square matrices (choi2019 5.1). `side` rows of `left` follow each other, column by column in
// them; of `right`, `side` columns, row by row; `product` lies tile by tile of side x side values, row by row in each.
// `side` is a multiple of 16. One work item computes 4 rows of 16 columns. Work items: size / 16 by size / 4.

#define ROWS 4
#define COLUMNS 16

__kernel void matrix_multiply(__global const float* left, __global const float* right, __global float* product,
                              int size, int side) {
  const int column = (int)get_global_id(0) * COLUMNS;
  const int row = (int)get_global_id(1) * ROWS;
  __global const float* a = left + (size_t)(row / side) * size * side + row % side;
  __global const float* b = right + (size_t)(column / side) * size * side + column % side;
  float16 sum0 = (float16)(0.0f);
  float16 sum1 = (float16)(0.0f);
  float16 sum2 = (float16)(0.0f);
  float16 sum3 = (float16)(0.0f);
  for (int pair = 0; pair < size; ++pair, a += side, b += side) {
    const float4 factors = vload4(0, a);
    const float16 values = vload16(0, b);
    sum0 += factors.s0 * values;
    sum1 += factors.s1 * values;
    sum2 += factors.s2 * values;
    sum3 += factors.s3 * values;
  }
  const size_t tile = (size_t)(row / side) * (size / side) + column / side;
  __global float* to = product + (tile * side + row % side) * side + column % side;
  vstore16(sum0, 0, to);
  vstore16(sum1, 0, to + side);
  vstore16(sum2, 0, to + 2 * side);
  vstore16(sum3, 0, to + 3 * side);
}
