#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "hpcc/block_cyclic.hpp"
#include "hpcc/linear_system.hpp"
#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const Shape& shape, const std::vector<std::string>& overrides = {}) {
  return shape.request("hpl", {"MATRIX_SIZE=192", "LOCAL_MEM_BLOCK_LOG=5"}, overrides);
}

TEST(BlockCyclic, EachValueIsOfOnePartAndPartsDifferByAtMostOneBlock) {
  constexpr std::size_t kBlock = 4;
  for (const int parts : {1, 2, 3, 5})
    for (const std::size_t size : {std::size_t{20}, std::size_t{22}, std::size_t{65}}) {
      const std::size_t blocks = (size + kBlock - 1) / kBlock;
      std::set<std::size_t> values;
      std::size_t inside = 0;
      for (int mine = 0; mine < parts; ++mine) {
        const BlockCyclic part(size, kBlock, parts, mine);
        inside += part.my_values();
        EXPECT_EQ(part.blocks(), blocks);
        EXPECT_LE(part.my_blocks(), (blocks + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts));
        for (std::size_t local = 0; local < part.my_size(); ++local) {
          const std::size_t block = part.global(local) / kBlock;
          EXPECT_TRUE(part.is_mine(block));
          EXPECT_EQ(part.before(block), local / kBlock);
          EXPECT_TRUE(values.insert(part.global(local)).second);
        }
      }
      EXPECT_EQ(inside, size);
      EXPECT_EQ(values.size(), blocks * kBlock);
      EXPECT_EQ(*values.rbegin(), blocks * kBlock - 1);
    }
}

// Textbook elimination, value by value.
Values factors_of(const LinearSystem& system) {
  Values a = system.matrix();
  const std::size_t n = system.rows().my_size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      a.set(i * n + k, a.at(i * n + k) / a.at(k * n + k));
      for (std::size_t j = k + 1; j < n; ++j) a.set(i * n + j, a.at(i * n + j) - a.at(i * n + k) * a.at(k * n + j));
    }
  return a;
}

TEST(BlockCyclic, BehindABlockAreTheValuesOfTheMatrixAlone) {
  const BlockCyclic part(22, 4, 2, 1);  // blocks 1, 3 and 5, of which the last has two values
  const std::vector<std::size_t> behind{10, 6, 6, 2, 2, 0};
  for (std::size_t block = 0; block < behind.size(); ++block) EXPECT_EQ(part.my_values_behind(block), behind[block]);
}

TEST(LinearSystem, ItsSolutionIsOnesWhetherBlocksDivideItOrNot) {
  for (const std::size_t size : {40, 37}) {
    const LinearSystem system(cluster::alone(), {}, size, 8, "double");
    const auto solution = system.solve(factors_of(system));
    EXPECT_EQ(solution.size(), size);
    for (const double x : solution) EXPECT_NEAR(x, 1, 1e-14);
  }
}

TEST(LinearSystem, TheResidualSeesWhatIsNotTheSolution) {
  const LinearSystem system(cluster::alone(), {}, 40, 8, "float");
  std::vector<double> x(40, 1);
  EXPECT_LT(system.residual(x), 1e-6);
  x[17] += 1e-3;
  EXPECT_GT(system.residual(x), 1);
}

TEST(Hpl, EveryVariantIsRightInBothTypesAndWithReplications) {
  for (const Shape& shape : kShapes)
    for (const std::vector<std::string>& overrides :
         {std::vector<std::string>{"DATA_TYPE=float", "REGISTER_BLOCK_LOG=2", "NUM_REPLICATIONS=2"},
          std::vector<std::string>{"DATA_TYPE=double", "LOCAL_MEM_BLOCK_LOG=6"}}) {
      const Outcome done = run(small(shape, overrides), cluster::alone());
      EXPECT_TRUE(done.validation.passed()) << shape.file("hpl") << overrides[0] << done.validation.error;
    }
}

TEST(Hpl, OneBlockIsAllThereIs) {
  EXPECT_TRUE(run(small(kShapes[1], {"MATRIX_SIZE=32"}), cluster::alone()).validation.passed());
}

TEST(Hpl, TheLargestBlocksOfAGpuAreRight) {
  const Outcome done = run(small(kShapes[2], {"MATRIX_SIZE=300", "LOCAL_MEM_BLOCK_LOG=7"}), cluster::alone());
  EXPECT_TRUE(done.validation.passed()) << done.validation.error;
}

TEST(Hpl, BlocksNeedNotDivideTheMatrix) {
  for (const Shape& shape : kShapes) {
    const Outcome done = run(small(shape, {"MATRIX_SIZE=161", "NUM_REPLICATIONS=2"}), cluster::alone());
    EXPECT_TRUE(done.validation.passed()) << shape.file("hpl") << done.validation.error;
  }
}

/// When each phase of each step ran.
std::map<std::pair<std::string, int>, offload::Span> phases_of(const Outcome& done) {
  std::map<std::pair<std::string, int>, offload::Span> phases;
  for (const Launch& each : done.launches) phases[{each.phase, each.turn}] = each.span;
  return phases;
}

TEST(Hpl, TheNextCommunicationPhaseBeginsInTheUpdatePhaseAndTheUpdateAfterIt) {
  constexpr int kSteps = 24;
  for (const Shape& shape : {kShapes[1], kShapes[2]}) {
    const Outcome done = run(small(shape, {"MATRIX_SIZE=768"}), cluster::alone());
    ASSERT_TRUE(done.validation.passed()) << done.validation.error;
    auto phases = phases_of(done);
    EXPECT_EQ(phases.size(), 2 * kSteps - 1);  // behind the last block is nothing to update
    int overlaps = 0;
    for (int step = 0; step + 1 < kSteps; ++step) {
      const auto update = phases[{"update", step}];
      const auto next = phases[{"communication", step + 1}];
      EXPECT_GE(next.start, update.start) << "what it starts from is updated first";
      overlaps += next.start < update.end ? 1 : 0;
      const bool last = step + 2 == kSteps;
      EXPECT_TRUE(last || (phases[{"update", step + 1}].start >= update.end)) << "which changed what it changes";
    }
    EXPECT_GT(overlaps, 0) << shape.file("hpl");
  }
}

TEST(Hpl, ASetOfFactorsIsNotMadeAnewBeforeTheUpdateThatReadsIt) {
  // Each block of an update begins late, so that whatever does not wait for it is done before.
  const std::string begins = "const size_t block_row = first_row + get_global_id(1);";
  const KernelWithAFault slow(
      kShapes[1].file("hpl"), begins,
      "volatile uint sum = 0; for (uint turn = 0; turn < 20000; ++turn) sum += turn;\n" + begins);
  EXPECT_TRUE(validated_with(slow, small(kShapes[1], {"MATRIX_SIZE=640"})));
}

TEST(Hpl, AnExponentBitOfOneElementIsCaught) {
  for (const Shape& shape : kShapes) {
    // The last kernel of the file updates the inner blocks.
    const KernelWithAFault kernel(shape.file("hpl"), R"(
      if (get_global_id(0) == 0 && get_global_id(1) == 0 && row == B) {
        __global uint* word = (__global uint*)&a[1];
        *word ^= 1u << 25;
      })");
    EXPECT_FALSE(validated_with(kernel, small(shape))) << shape.file("hpl");
  }
}

TEST(Hpl, WhatDoesNotGoTogetherIsRefusedByName) {
  expect_refused(small(kShapes[1], {"DATA_TYPE=half"}), "DATA_TYPE=half: expected float or double");
  expect_refused(small(kShapes[1], {"MATRIX_SIZE=1048576"}),
                 "MATRIX_SIZE=1048576: needs 4398583390208 bytes of memory");
  expect_refused(small(kShapes[1], {"LOCAL_MEM_BLOCK_LOG=12"}),
                 "LOCAL_MEM_BLOCK_LOG: expected a whole number from 5 to 10, got '12'");
  expect_refused(small(kShapes[1], {"REGISTER_BLOCK_LOG=7"}), "REGISTER_BLOCK_LOG");
  expect_refused(small(kShapes[2], {"LOCAL_MEM_BLOCK_LOG=8"}), "LOCAL_MEM_BLOCK_LOG=8: expected at most 7");
}

}  // namespace
}  // namespace isthmus::hpcc
