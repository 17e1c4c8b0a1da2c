#include <fmt/format.h>

#include <algorithm>

#include "hpcc/checks.hpp"
#include "hpcc/hpl.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

// On a CPU one work-item decomposes a block, and the others wait: 2/3 n^3 operations, a second and more beyond this.
constexpr std::int64_t kLargestCpuBlockLog = 10;

std::size_t block_of(const Job& job) {
  return std::size_t{1} << integer(job, "LOCAL_MEM_BLOCK_LOG");
}

void check_gpu(const Job& job, std::size_t block, std::size_t value_bytes) {
  const std::size_t side = block >> integer(job, "REGISTER_BLOCK_LOG");
  const auto most = static_cast<std::size_t>(job.conditions().device.max_work_group);
  constexpr std::size_t kDepth = 8;      // of the slices of blocks in local memory
  constexpr std::size_t kLargest = 128;  // block that the registers of one group hold twice
  if (block > kLargest)
    throw Error(
        fmt::format("{}: expected at most 7 on a GPU, blocks of {}", with_value(job, "LOCAL_MEM_BLOCK_LOG"), kLargest));
  require_local_memory(job, "LOCAL_MEM_BLOCK_LOG", 2 * kDepth * (2 * block + 4) * value_bytes);
  if (integer(job, "REGISTER_BLOCK_LOG") < 2 || side * side > most)
    throw Error(
        fmt::format("{}: expected at least 2, the logarithm of the width of loads, and at most {} work-items a "
                    "group, got {}",
                    with_value(job, "REGISTER_BLOCK_LOG"), most, side * side));
}

}  // namespace

Needs hpl_needs(const Job& job) {
  const std::string& type = job.parameters().text("DATA_TYPE");
  const std::size_t bytes = size_of_type(type);
  const std::size_t block = block_of(job);
  const std::size_t size = integer(job, "MATRIX_SIZE");
  if (type == "half") throw Error("DATA_TYPE=half: expected float or double");
  require_type(type, job.conditions().device);
  const std::size_t blocks = (size + block - 1) / block;
  const auto most = static_cast<std::size_t>(std::max(job.grid().rows, job.grid().columns));
  if (blocks < most)
    throw Error(fmt::format("{}: expected at least {}, a block for each rank of the grid {}x{}",
                            with_value(job, "MATRIX_SIZE"), (most - 1) * block + 1, job.grid().rows,
                            job.grid().columns));
  if (integer(job, "REGISTER_BLOCK_LOG") > integer(job, "LOCAL_MEM_BLOCK_LOG"))
    throw Error(fmt::format("{}: expected at most {}", with_value(job, "REGISTER_BLOCK_LOG"),
                            with_value(job, "LOCAL_MEM_BLOCK_LOG")));
  if (job.conditions().single()) require_local_memory(job, "LOCAL_MEM_BLOCK_LOG", 3 * block * block * bytes);
  if (job.conditions().gpu()) check_gpu(job, block, bytes);
  const auto ranks = static_cast<std::size_t>(job.ranks().size());
  const auto most_of = [&](int parts) {
    return (blocks + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  };
  const std::size_t rows = most_of(job.grid().rows);
  const std::size_t columns = most_of(job.grid().columns);
  const std::size_t held =
      rows * columns + 2 * (rows + columns) + 2;  // the matrix, two sets of factors, the diagonal's
  const auto n = static_cast<double>(size);
  return {.memory = require_memory(job, "MATRIX_SIZE", held * block * block * bytes),
          .operations = 2 * n * n * n / 3 / static_cast<double>(ranks)};
}

std::vector<ParameterSpec> hpl_parameters(const RunConditions& conditions) {
  const char* standard = conditions.gpu() ? "16384" : (conditions.single() ? "1024" : "8192");
  const char* small = conditions.single() ? "512" : "1024";
  return {
      {.name = "MATRIX_SIZE",
       .meaning = "n of the n x n matrix of all ranks together",
       .value = conditions.size == Size::small ? small : standard,
       .most = 1 << 20,
       .at_run = true},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel that updates inner blocks",
       .value = "1",
       .most = 1024},
      {.name = "DATA_TYPE", .meaning = "float or double", .kind = ParameterKind::data_type, .value = "float"},
      {.name = "LOCAL_MEM_BLOCK_LOG",
       .meaning = "logarithm of n of the blocks that ranks share out",
       .value = conditions.gpu() ? "7" : (conditions.single() ? "6" : "8"),
       .least = 5,
       .most = conditions.single() || conditions.gpu() ? 12 : kLargestCpuBlockLog},
      {.name = "REGISTER_BLOCK_LOG",
       .meaning = "logarithm of n of the blocks in registers; of their rows on a CPU",
       .value = "3",
       .least = 1,
       .most = 4},
  };
}

}  // namespace isthmus::hpcc
