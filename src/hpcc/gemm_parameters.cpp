#include <fmt/format.h>

#include <algorithm>

#include "hpcc/checks.hpp"
#include "hpcc/gemm.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

void check_columns(const Job& job) {
  const std::size_t columns = gemm_columns(job);
  if (integer(job, "BLOCK_SIZE") % columns != 0)
    throw Error(fmt::format("{}: expected a multiple of {}: {} of {} values", with_value(job, "BLOCK_SIZE"), columns,
                            with_value(job, "REGISTER_VECTORS"), columns / integer(job, "REGISTER_VECTORS")));
}

void check_gpu(const Job& job, std::size_t value_bytes) {
  constexpr std::size_t kDepth = 8;  // of a slice
  const std::size_t block = integer(job, "BLOCK_SIZE");
  const std::size_t items = block / integer(job, "GEMM_SIZE") * (block / gemm_columns(job));
  const std::size_t quads = block * kDepth / 4;
  const auto most = static_cast<std::size_t>(job.conditions().device.max_work_group);
  if (integer(job, "GEMM_SIZE") % 4 != 0)
    throw Error(fmt::format("{}: expected a multiple of 4, the width of loads", with_value(job, "GEMM_SIZE")));
  if (items > most || quads % items != 0)
    throw Error(fmt::format("{}: with {} and {} a work-group has {} work-items, expected at most {} that divide {}",
                            with_value(job, "BLOCK_SIZE"), with_value(job, "GEMM_SIZE"),
                            with_value(job, "REGISTER_VECTORS"), items, most, quads));
  require_local_memory(job, "BLOCK_SIZE", 2 * kDepth * (2 * block + 4) * std::max(value_bytes, sizeof(float)));
}

/// The largest power of two up to 256 of which three blocks of doubles fit local memory.
std::size_t single_block(const offload::DeviceProperties& device) {
  std::size_t block = 256;
  while (block > 8 && 3 * block * block * sizeof(double) > static_cast<std::size_t>(device.local_memory)) block /= 2;
  return block;
}

}  // namespace

std::size_t gemm_columns(const Job& job) {
  const bool doubles = job.parameters().text("DATA_TYPE") == "double";
  const std::size_t width = job.conditions().gpu() ? 4 : (doubles ? 8 : 16);  // half is computed as float
  return integer(job, "REGISTER_VECTORS") * width;
}

Needs gemm_needs(const Job& job) {
  const std::string& type = job.parameters().text("DATA_TYPE");
  const std::size_t bytes = size_of_type(type);
  const std::size_t block = integer(job, "BLOCK_SIZE");
  const std::size_t size = integer(job, "MATRIX_SIZE");
  require_type(type, job.conditions().device);
  job.parameters().require_multiples_at_run();
  if (integer(job, "NUM_REPLICATIONS") > size / block)
    throw Error(
        fmt::format("{}: expected at most {}, the rows of blocks", with_value(job, "NUM_REPLICATIONS"), size / block));
  if (job.conditions().single()) {
    require_local_memory(job, "BLOCK_SIZE", 3 * block * block * bytes);
  } else if (job.conditions().gpu()) {
    check_columns(job);
    check_gpu(job, bytes);
  } else {
    check_columns(job);
  }
  constexpr std::size_t kMatrices = 6;  // A, B, C, the result, A and B packed
  const auto n = static_cast<double>(size);
  return {.memory = require_memory(job, "MATRIX_SIZE", kMatrices * size * size * bytes), .operations = 2 * n * n * n};
}

std::vector<ParameterSpec> gemm_parameters(const RunConditions& conditions) {
  const bool single = conditions.single();
  const bool gpu = conditions.gpu();
  const char* standard = gpu ? "8192" : (single ? "1024" : "4096");
  const std::string block = single ? std::to_string(single_block(conditions.device)) : (gpu ? "128" : "512");
  return {
      {.name = "MATRIX_SIZE",
       .meaning = "n of the n x n matrices",
       .value = conditions.size == Size::small ? (single ? "512" : "1024") : standard,
       .most = 1 << 20,
       .at_run = true,
       .multiple_of = {"BLOCK_SIZE"}},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel, each with its rows of blocks",
       .value = "1",
       .most = 1024},
      {.name = "DATA_TYPE", .meaning = "float, double or half", .kind = ParameterKind::data_type, .value = "float"},
      {.name = "BLOCK_SIZE",
       .meaning = "n of the blocks in local memory, or of a core's tile on a CPU",
       .value = block,
       .most = 1 << 14,
       .multiple_of =
           single ? std::vector<std::string>{"GEMM_SIZE", "GLOBAL_MEM_UNROLL"} : std::vector<std::string>{"GEMM_SIZE"}},
      {.name = "GEMM_SIZE",
       .meaning = "n of the blocks in registers; their rows in ND-ranges",
       .value = "8",
       .most = 64},
      {.name = "GLOBAL_MEM_UNROLL",
       .meaning = "values that cross the memory interface a cycle",
       .value = "16",
       .most = 1024},
      {.name = "REGISTER_VECTORS",
       .meaning = "vectors in a row of the block in registers: of 64 bytes on a CPU, of 4 values on a GPU",
       .value = "2",
       .most = 16},
  };
}

}  // namespace isthmus::hpcc
