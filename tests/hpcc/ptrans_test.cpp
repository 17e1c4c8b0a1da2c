#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hpcc/block_grid.hpp"
#include "hpcc/kernel_with_a_fault.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Request small(const std::string& variant, const std::vector<std::string>& settings = {}) {
  Request request{.benchmark = "ptrans", .size = "small", .repetitions = 1};
  request.variant = variant;
  request.settings = {"MATRIX_SIZE=192", "BLOCK_SIZE=64"};
  request.settings.insert(request.settings.end(), settings.begin(), settings.end());
  return request;
}

TEST(BlockGrid, EveryBlockHasOneOwnerAndIsSentOnceToWhereItsTransposedPlaceIs) {
  for (const cluster::Grid grid : {cluster::Grid{1, 1}, {1, 3}, {2, 2}, {2, 3}, {4, 1}, {3, 5}})
    for (const std::int64_t side : {1, 2, 5, 12}) {
      const BlockGrid layout(grid, side);
      const int ranks = grid.rows * grid.columns;
      std::set<std::pair<std::int64_t, std::int64_t>> sent;
      std::size_t held = 0;
      for (int from = 0; from < ranks; ++from) {
        held += layout.blocks_of(from).size();
        for (int to = 0; to < ranks; ++to)
          for (const Block& block : layout.sent(from, to)) {
            EXPECT_EQ(layout.owner(block), from);
            EXPECT_EQ(layout.owner({block.column, block.row}), to);
            EXPECT_TRUE(sent.emplace(block.row, block.column).second);
          }
      }
      EXPECT_EQ(held, static_cast<std::size_t>(side * side));
      EXPECT_EQ(sent.size(), held);
    }
}

TEST(Ptrans, BothVariantsAreRightInEveryTypeBlockAndReplication) {
  for (const char* variant : {"single", "ndrange"})
    for (const char* type : {"DATA_TYPE=float", "DATA_TYPE=double"})
      for (const std::vector<std::string>& blocks : {std::vector<std::string>{"BLOCK_SIZE=64", "NUM_REPLICATIONS=4"},
                                                     std::vector<std::string>{"BLOCK_SIZE=192"}}) {
        const Outcome done = run(small(variant, {type, blocks.front(), blocks.back()}), cluster::alone());
        EXPECT_TRUE(done.validation.passed()) << variant << type << blocks.front() << done.validation.error;
      }
}

TEST(Ptrans, ReportsRateOperationsAndTrafficOfOneTime) {
  const Outcome done = run(small("ndrange", {"DATA_TYPE=double"}), cluster::alone());
  ASSERT_EQ(done.results.size(), 3U);
  EXPECT_DOUBLE_EQ(done.results[0].value, 8 * done.results[1].value);
  EXPECT_DOUBLE_EQ(done.results[2].value, 3 * done.results[0].value);
}

TEST(Ptrans, AnExponentBitOfOneElementIsCaught) {
  const KernelWithAFault kernel("kernels/hpcc/ptrans_ndrange_cpu.cl", R"(
    if (each == 4) ((__global uint*)c)[each * BLOCK + 77] ^= 1u << 23;)");
  Request request = small("ndrange");
  request.kernel_file = kernel.file();
  EXPECT_FALSE(run(request, cluster::alone()).validation.passed());
}

TEST(Ptrans, WhatDoesNotFitIsRefused) {
  const auto refused = [](const Request& request, const std::string& why) {
    EXPECT_THAT([&] { run(request, cluster::alone()); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  refused(small("ndrange", {"MATRIX_SIZE=200"}), "MATRIX_SIZE=200: expected a multiple of BLOCK_SIZE=64");
  refused(small("ndrange", {"BLOCK_SIZE=24", "MATRIX_SIZE=240"}), "BLOCK_SIZE=24: expected a multiple of 16");
  refused(small("single", {"BLOCK_SIZE=8192", "MATRIX_SIZE=8192"}), "bytes of local memory");
  refused(small("single", {"CHANNEL_WIDTH=7"}), "BLOCK_SIZE=64: expected a multiple of CHANNEL_WIDTH=7");
  refused(small("ndrange", {"MATRIX_SIZE=6400000"}), "MATRIX_SIZE=6400000: needs");
  Request request = small("ndrange");
  request.scheme = "cpu";
  refused(request, "--scheme cpu: no device takes part in it");
}

}  // namespace
}  // namespace isthmus::hpcc
