// A square matrix times a vector (choi2019 5.2). The rows lie in up to four parts, `rows` in each; where there are
// fewer, the arguments of the others repeat them. Rows and vector are multiples of 16 long. Work items: a row each.
__kernel void matrix_vector(__global const float* part0, __global const float* part1, __global const float* part2,
                            __global const float* part3, __global const float* vector, __global float* result, int size,
                            int rows) {
  const int row = (int)get_global_id(0);
  const int part = row / rows;
  __global const float* from = part == 0 ? part0 : part == 1 ? part1 : part == 2 ? part2 : part3;
  from += (size_t)(row % rows) * size;
  float16 sums = (float16)(0.0f);
  for (int i = 0; i < size; i += 16) sums += vload16(0, from + i) * vload16(0, vector + i);
  const float8 eight = sums.lo + sums.hi;
  const float4 four = eight.lo + eight.hi;
  const float2 two = four.lo + four.hi;
  result[row] = two.lo + two.hi;
}
