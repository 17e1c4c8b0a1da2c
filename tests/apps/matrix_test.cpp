// The applications on matrices: values, times, and what they cannot be asked for.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "apps/installed.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using program::Grain;
using Done = program::Run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr const char* kMultiply = "matrix-multiply";
constexpr const char* kVector = "matrix-vector";

ByteApplication matrices(const std::string& name, std::int64_t size, std::int64_t iterations = 1) {
  return installed(name, {{"size", size}, {"iterations", iterations}});
}

struct Place {
  std::string target;
  std::string flow;
  std::vector<std::string> overrides{};
};

const Place kF1{"model:aws-f1", "offload"};
const Place kAlphaData{"model:alpha-data-7v3", "offload"};
const Place kShared{"model:xeon-fpga-v1", "shared"};
const Place kDevice{"opencl:0", "offload"};

Done run(const Place& at, const ByteApplication& of, Grain grain = Grain::fine, int count = 1) {
  return program::open_target(at.target, at.overrides)
      ->run({.application = of, .flow = at.flow, .count = count, .grain = grain});
}

Place with(Place place, std::vector<std::string> overrides) {
  place.overrides = std::move(overrides);
  return place;
}

/// The time of iterations after the first.
double seconds_of_iteration(const Done& of) {
  const auto& ends = of.times.launches;
  return (ends.back() - ends.front()).seconds() / static_cast<double>(ends.size() - 1);
}

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<float> message_of(const ByteApplication& of, int number) {
  std::vector<std::byte> bytes(of.input);
  of.fill(number, bytes);
  return floats(bytes);
}

std::vector<float> reference_of(const ByteApplication& of, int number) {
  std::vector<std::byte> in(of.input);
  std::vector<std::byte> out(of.output);
  of.fill(number, in);
  of.reference(in, out);
  return floats(out);
}

/// The index of the value of a row and a column of the left matrix, of which panels of 256 rows are stored by columns;
/// the right one likewise with rows and columns changed.
std::size_t in_panel(std::size_t size, std::size_t row, std::size_t column) {
  const std::size_t side = std::min<std::size_t>(size, 256);
  return row / side * side * size + column * side + row % side;
}

std::vector<program::Fact> fact(std::size_t row, std::size_t column) {
  return {{"row", static_cast<std::int64_t>(row)}, {"column", static_cast<std::int64_t>(column)}};
}

TEST(MatrixMultiply, AValueOfTheReferenceIsTheProductOfItsRowAndItsColumn) {
  for (const std::size_t size : {16U, 48U, 512U}) {
    const ByteApplication of = matrices(kMultiply, static_cast<std::int64_t>(size));
    const auto in = message_of(of, 3);
    const auto product = reference_of(of, 3);
    for (const std::size_t at : {std::size_t{0}, product.size() / 3, product.size() / 2 + 7, product.size() - 1}) {
      const auto place = of.extras.place(at);
      const auto row = static_cast<std::size_t>(place[0].second);
      const auto column = static_cast<std::size_t>(place[1].second);
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k)
        sum += static_cast<double>(in[in_panel(size, row, k)]) *
               static_cast<double>(in[size * size + in_panel(size, column, k)]);
      EXPECT_NEAR(product[at], sum, 1e-5) << row << ", " << column;
    }
  }
}

TEST(MatrixMultiply, ThePlacesOfValuesAreAllOfTheMatrix) {
  const ByteApplication of = matrices(kMultiply, 512);
  EXPECT_EQ(of.extras.place(0), fact(0, 0));
  EXPECT_EQ(of.extras.place(255), fact(0, 255));
  EXPECT_EQ(of.extras.place(256), fact(1, 0));
  EXPECT_EQ(of.extras.place(256 * 256), fact(0, 256));
  EXPECT_EQ(of.extras.place(2 * 256 * 256), fact(256, 0));
}

TEST(MatrixVector, TheReferenceIsTheProductOfTheLastIterationsVector) {
  const auto once = reference_of(matrices(kVector, 64, 1), 2);
  const auto in = message_of(matrices(kVector, 64, 1), 2);
  const auto twice = reference_of(matrices(kVector, 64, 2), 2);
  for (std::size_t row = 0; row < 64; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) sum += static_cast<double>(in[row * 64 + i]) * static_cast<double>(once[i]);
    EXPECT_NEAR(twice[row], sum, 1e-6);
  }
}

TEST(Matrices, FloatsOfAllSizesAreThoseOfDoubles) {
  rc::check([] {
    const Place place = *rc::gen::elementOf(std::vector{kF1, kShared, kDevice});
    const auto name = *rc::gen::elementOf(std::vector<std::string>{kMultiply, kVector});
    const auto size = *rc::gen::inRange<std::int64_t>(1, 8) * 16;
    const auto iterations = *rc::gen::inRange<std::int64_t>(1, 4);
    const auto count = *rc::gen::inRange(1, 3);
    const Done done = run(place, matrices(name, size, iterations), Grain::coarse, count);
    RC_ASSERT(!done.difference);
    RC_ASSERT(done.times.launches.size() == static_cast<std::size_t>(count * iterations));
  });
}

class Everywhere : public testing::TestWithParam<Place> {};

TEST_P(Everywhere, ProductsOfSeveralTilesAreRight) {
  EXPECT_FALSE(run(GetParam(), matrices(kMultiply, 512)).difference);
}

TEST(Matrices, IterationsEndOneAfterAnotherAndBeforeTheWhole) {
  for (const Place& place : {kF1, kShared}) {
    const Done done = run(place, matrices(kVector, 128, 5), Grain::fine, 2);
    EXPECT_TRUE(std::ranges::is_sorted(done.times.launches, std::ranges::less_equal{}));
    EXPECT_GT(done.times.launches.front(), Time{});
    EXPECT_LT(done.times.launches.back(), done.times.elapsed);
  }
}

/// The check can say no.
TEST_P(Everywhere, AProductThatIsLeftOutOfOneSumIsFound) {
  for (const std::string name : {kMultiply, kVector}) {
    ByteApplication of = matrices(name, 256, 2);
    const auto fill = of.fill;
    const auto reference = of.reference;
    // The reference has a number of the first matrix that the circuit has not.
    of.reference = [reference](std::span<const std::byte> in, std::span<std::byte> out) {
      std::vector<std::byte> other(in.begin(), in.end());
      std::ranges::fill_n(other.begin() + 4000, sizeof(float), std::byte{0});
      reference(other, out);
    };
    EXPECT_TRUE(run(GetParam(), of).difference) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Everywhere, testing::Values(kF1, kShared, kDevice, Place{"opencl:0", "overlap"}),
                         [](const auto& of) {
                           std::string name = of.param.target + of.param.flow;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(MatrixVector, EachPortHasItsRows) {
  const auto ports = [](const std::string& count) {
    return installed(kVector, {{"size", std::int64_t{512}}, {"iterations", std::int64_t{3}}, {"ports", count}});
  };
  const auto banks = [](int count) { return with(kF1, {"device.dram.kernel_channels=" + std::to_string(count)}); };
  EXPECT_FALSE(run(kF1, ports("4")).difference);
  EXPECT_FALSE(run(kDevice, ports("2")).difference);
  EXPECT_FALSE(run(with(kShared, {"cache.ports=2"}), ports("2")).difference);
  // Four ports at four banks read four times as much as one; at one bank they are as fast as it is.
  const double one = seconds_of_iteration(run(banks(1), ports("1")));
  EXPECT_LT(seconds_of_iteration(run(banks(4), ports("4"))), 0.6 * one);
  EXPECT_GT(seconds_of_iteration(run(banks(1), ports("4"))), 0.8 * one);
}

/// choi2019 5.1: compute-bound.
TEST(MatrixMultiply, TimeTimesClockIsEqualOnAllBoards) {
  const ByteApplication of = matrices(kMultiply, 1024, 2);
  const auto cycles = [&](const Place& place, double megahertz) {
    return seconds_of_iteration(run(place, of, Grain::coarse)) * megahertz * 1e6;
  };
  const double multipliers = 256;
  const double least = std::pow(1024.0, 3) / multipliers;
  for (const auto& [place, clock] : {std::pair{kF1, 250.0}, std::pair{kAlphaData, 200.0}, std::pair{kShared, 200.0},
                                     std::pair{with(kF1, {"kernel.clock=273MHz"}), 273.0}}) {
    EXPECT_GE(cycles(place, clock), least) << place.target;
    EXPECT_LE(cycles(place, clock), 1.03 * least) << place.target;
  }
}

TEST(MatrixMultiply, WaitsForDataWhereTheLinkIsSlow) {
  const ByteApplication of = matrices(kMultiply, 256, 2);
  const double usual = seconds_of_iteration(run(kShared, of));
  EXPECT_GT(seconds_of_iteration(run(with(kShared, {"cache.reads_in_flight=4"}), of)), 1.5 * usual);
}

/// choi2019 5.2: bound by communication; a board's own memory is faster, after its copy.
TEST(MatrixVector, OnSharedMemoryIsAheadUntilTheCopyHasPaid) {
  const ByteApplication of = matrices(kVector, 1024, 40);
  const Done own = run(kAlphaData, of, Grain::coarse);
  const Done shared = run(kShared, of, Grain::coarse);
  EXPECT_LT(shared.times.launches.front(), own.times.launches.front());
  EXPECT_GT(shared.times.launches.back(), own.times.launches.back());
  // A word of 64 bytes a cycle is more than either memory gives.
  const double words = 1024.0 * 1024 / 16;
  EXPECT_GT(seconds_of_iteration(own), 1.1 * words / 200e6);
  EXPECT_GT(seconds_of_iteration(shared), 1.1 * words / 200e6);
}

TEST(MatrixGrain, CoarseTakesAsLongAsFineWithinAHundredth) {
  struct Case {
    Place place;
    ByteApplication of;
  };
  for (const auto& [place, of] : {Case{kF1, matrices(kMultiply, 768, 2)}, Case{kShared, matrices(kMultiply, 768, 2)},
                                  Case{kF1, matrices(kVector, 1024, 4)}, Case{kShared, matrices(kVector, 1024, 3)},
                                  Case{with(kShared, {"cache.size=256KiB"}), matrices(kVector, 1024, 3)},
                                  Case{kAlphaData, matrices(kVector, 1024, 4)}}) {
    const Done fine = run(place, of);
    const Done coarse = run(place, of, Grain::coarse);
    EXPECT_FALSE(fine.difference);
    EXPECT_FALSE(coarse.difference);
    const auto ratio = [](Time a, Time b) { return a.seconds() / b.seconds(); };
    EXPECT_NEAR(ratio(coarse.times.elapsed, fine.times.elapsed), 1, 0.01) << place.target << of.name;
    ASSERT_THAT(coarse.times.launches, SizeIs(fine.times.launches.size()));
    for (std::size_t i = 0; i < fine.times.launches.size(); ++i)
      EXPECT_NEAR(ratio(coarse.times.launches[i], fine.times.launches[i]), 1, 0.01) << place.target << of.name << i;
  }
}

TEST(MatrixGrain, ACoarseRunSaysSoAndHasItsPartsInFull) {
  const auto target = program::open_target(kShared.target, {});
  const ByteApplication of = matrices(kVector, 1024, 3);
  const auto parts = [&](Grain grain) {
    const program::Ran done = program::ran(*target, {.application = of, .flow = "shared", .count = 2, .grain = grain});
    EXPECT_EQ(done.row.at("grain"), platform::to_string(grain));
    double most = 0;
    for (const auto& part : done.row.at("parts")) most = std::max(most, part.at("busy_s").get<double>());
    return std::pair{done.seconds(), most};
  };
  const auto [fine, busy_fine] = parts(Grain::fine);
  const auto [coarse, busy_coarse] = parts(Grain::coarse);
  EXPECT_NEAR(coarse / fine, 1, 0.01);
  EXPECT_NEAR(busy_coarse / busy_fine, 1, 0.02);
}

TEST(MatrixMakers, RefuseSizesThatDoNotFillTheArray) {
  EXPECT_THAT([] { matrices(kMultiply, 24); }, ThrowsMessage<Error>(HasSubstr("size: expected a multiple of 256")));
  EXPECT_THAT([] { matrices(kMultiply, 272); }, ThrowsMessage<Error>(HasSubstr("or below it of 16, got 272")));
  EXPECT_THAT([] { matrices(kVector, 40); }, ThrowsMessage<Error>(HasSubstr("size: expected a multiple of 16")));
  EXPECT_THAT(
      [] {
        installed(kVector, {{"size", std::int64_t{16}}, {"ports", std::string("4")}});
      },
      ThrowsMessage<Error>(HasSubstr("size: expected a multiple of 64")));
}

TEST(MatrixBoards, ThatAreTooSmallAreRefused) {
  EXPECT_THAT([] { run(with(kF1, {"device.onchip.capacity=256KiB"}), matrices(kMultiply, 256)); },
              ThrowsMessage<Error>(HasSubstr("matrix_multiply': expected 528384 B of on-chip memory, got 262144 B")));
  EXPECT_THAT([] { run(with(kShared, {"device.onchip.capacity=256KiB"}), matrices(kMultiply, 256)); },
              ThrowsMessage<Error>(HasSubstr("expected 528384 B of on-chip memory, got 262144 B")));
  EXPECT_THAT([] { run(with(kShared, {"host.memory.capacity=4MiB"}), matrices(kVector, 1024)); },
              ThrowsMessage<Error>(HasSubstr("what is left of 4194304 B of the host (host.memory.capacity)")));
  EXPECT_THAT(
      [] { run(with(kShared, {"translation.entries=2"}), matrices(kVector, 1024)); },
      ThrowsMessage<Error>(HasSubstr("what is left of 2 pages of 2097152 B (translation.entries, translation.page)")));
  EXPECT_THAT(
      [] {
        run(kShared, installed(kVector, {{"size", std::int64_t{256}}, {"ports", std::string("4")}}));
      },
      ThrowsMessage<Error>(HasSubstr("expected cache.ports of 4 or more, got 1")));
}

TEST(MatrixFlows, AreThoseThatReadDataAgain) {
  EXPECT_THAT(program::open_target("model:aws-f1", {})->flows(matrices(kVector, 64)),
              ElementsAre("offload", "overlap"));
  EXPECT_THAT(program::open_target("model:xeon-fpga-v1", {})->flows(matrices(kMultiply, 64)), ElementsAre("shared"));
  EXPECT_TRUE(program::open_target("native", {})->flows(matrices(kMultiply, 64)).empty());
}

}  // namespace
}  // namespace isthmus::apps
