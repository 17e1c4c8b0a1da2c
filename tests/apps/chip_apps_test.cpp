// Applications whose buffers a chip's FPGA and cores share: each method gives the same bytes, and where nothing keeps
// them coherent they are stale.
#include <gmock/gmock.h>

#include "apps/alexnet/network.hpp"
#include "apps/difference_of_gaussian/filters.hpp"
#include "apps/installed.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

using program::stage;
using soc::Method;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::array kEach = {Method::hp_nc, Method::hp_c, Method::hpc, Method::acp};

struct Asked {
  std::string name;
  Chosen parameters;
  Method method = Method::hpc;
  std::vector<std::string> overrides{};
  int count = 1;
  bool sequential = false;
  int delay = 0;
};

program::Run run(const Asked& asked) {
  program::ByteApplication what = installed(asked.name, asked.parameters);
  if (what.extras.open)  // in place of photographs
    what.fill = [](int frame, std::span<std::byte> pixels) {
      for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<std::byte>(random_word(1, static_cast<std::uint64_t>(frame), i));
    };
  return program::open_target("model:zynq-ultrascale", asked.overrides)
      ->run({.application = what,
             .flow = "shared",
             .count = asked.count,
             .choice = {.methods = std::vector<Method>(what.extras.buffers.size(), asked.method),
                        .sequential = asked.sequential,
                        .delay = asked.delay}});
}

Asked frames(Method method, const std::string& size = "200x100") {
  return {.name = "difference-of-gaussian", .parameters = {{"size", size}}, .method = method, .count = 2};
}

Asked product(Method method) {
  return {.name = "sgemm", .parameters = {{"size", std::int64_t{128}}}, .method = method};
}

Asked images(Method method) {
  return {.name = "alexnet", .parameters = {{"layers", std::int64_t{2}}}, .method = method};
}

/// The network, which computes long, by one method.
std::vector<Asked> some_by(Method method) {
  std::vector<Asked> all{frames(method), product(method)};
  if (method == Method::hp_c) all.push_back(images(method));
  return all;
}

TEST(ChipApplications, GiveTheirReferenceByEachMethodInStagesThatFillTheRun) {
  for (const Method method : kEach)
    for (const Asked& asked : some_by(method)) {
      const program::Run done = run(asked);
      EXPECT_TRUE(done.right()) << asked.name << " " << soc::kMethods.at(static_cast<std::size_t>(method));
      EXPECT_THAT(done.times.latencies, SizeIs(asked.count));
      double all = 0;
      for (const program::Stage& each : done.times.stages) all += each.time.seconds();
      EXPECT_NEAR(all / done.times.elapsed.seconds(), 1, 1e-9);
      EXPECT_EQ(stage(done, "maintenance") > 0.01 * all, method == Method::hp_c);
    }
}

TEST(ChipApplications, WithoutSnoopsOrWithoutTheirFlushAreStale) {
  for (const auto& [method, setting] :
       {std::pair{Method::hpc, "port.hpc.snoop=false"}, std::pair{Method::hp_c, "cpu.maintenance.enabled=false"}})
    for (Asked asked : some_by(method)) {
      asked.overrides = {setting};
      EXPECT_FALSE(run(asked).right()) << asked.name << " " << setting;
      asked.method = Method::acp;
      EXPECT_TRUE(run(asked).right()) << asked.name << " " << setting;
    }
}

TEST(ChipApplications, PayForTheirMethodWhereThePaperSaysSo) {
  const program::Run uncached = run(frames(Method::hp_nc));
  const program::Run snooped = run(frames(Method::hpc));
  EXPECT_THAT(stage(uncached, "subtract") / stage(snooped, "subtract"), Ge(5)) << "loads of non-cacheable memory";
  EXPECT_LT(stage(uncached, "filters"), stage(snooped, "filters")) << "what the caches hold crosses HPC slowly";
}

TEST(ChipApplications, WhoseCoreWritesInSequencePayLessForNonCacheableMemory) {
  Asked asked = images(Method::hp_nc);
  const double before = stage(run(asked), "quantise");
  asked.sequential = true;
  const program::Run rewritten = run(asked);
  EXPECT_TRUE(rewritten.right());
  EXPECT_LT(stage(rewritten, "quantise"), 0.5 * before);
}

TEST(ChipApplications, OfWhichTheFpgaTakesEarlierFramesGiveTheSameLater) {
  Asked asked = frames(Method::hpc);
  asked.count = 4;
  const program::Run at_once = run(asked);
  asked.delay = 2;
  const program::Run later = run(asked);
  EXPECT_TRUE(later.right());
  ASSERT_THAT(later.times.latencies, SizeIs(4));
  EXPECT_GT(later.times.latencies.front(), at_once.times.latencies.front());
}

TEST(ChipApplications, GoWithTheWidthOfTheirCircuits) {
  const auto slower = [](Asked asked, const char* name, const std::string& assignment) {
    const double before = stage(run(asked), name);
    asked.overrides = {assignment};
    return stage(run(asked), name) - before;
  };
  const double cycle = 1 / 300e6;
  EXPECT_NEAR(slower(product(Method::hp_nc), "multiply", "engines.gemm_multiplies=64") / cycle, 128 * 128, 300)
      << "and bursts that wait";
  EXPECT_THAT(slower(frames(Method::hp_nc), "filters", "engines.filter_pixels=1") / cycle,
              AllOf(Ge(2 * 200 * 100 * 0.7), Le(2 * 200 * 100)));
}

TEST(ChipApplications, RefuseSizesThatAreNone) {
  const auto refused = [](const Asked& asked, const char* message) {
    EXPECT_THAT([&] { installed(asked.name, asked.parameters); }, ThrowsMessage<Error>(HasSubstr(message)));
  };
  for (const char* size : {"0x5", "640", "640x", "x480", "640x480x3", "-8x8", "9000x8"})
    refused(frames(Method::hpc, size), "--size: expected WIDTHxHEIGHT, of 8 to 8192 pixels each, got '");
  Asked odd = product(Method::hpc);
  odd.parameters["size"] = std::int64_t{200};
  refused(odd, "--size: expected a multiple of a block's 128 rows, got 200");
}

TEST(DifferenceOfGaussian, OfAnEvenImageIsNothingAndOfAPointIsItsSurrounding) {
  const ImageSize size{.width = 16, .height = 12};
  std::vector<std::byte> photograph(size.bytes(), std::byte{200});
  std::vector<std::byte> out(16 * 12, std::byte{1});
  difference_reference(size, photograph, out);
  EXPECT_THAT(out, Each(std::byte{0}));
  const std::size_t middle = 6 * 16 + 8;
  std::ranges::fill(photograph, std::byte{0});
  std::ranges::fill_n(photograph.begin() + middle * kChannels, kChannels, std::byte{255});
  difference_reference(size, photograph, out);
  EXPECT_EQ(out[middle], static_cast<std::byte>((96 * 96 * 255 >> 16) - (64 * 64 * 255 >> 16)));
}

TEST(Alexnet, HasThePublishedShapesAndWork) {
  const std::vector<Layer> all = layers(kLayers);
  std::uint64_t weights = 0;
  std::uint64_t products = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(values_of(all[i].in), values_of(i == 0 ? kImage : all[i - 1].out));
    EXPECT_EQ((all[i].in.side + 2 * all[i].padding - all[i].window) / all[i].stride + 1, all[i].out.side);
    weights += all[i].weights();
    if (!all[i].pools) products += all[i].operations();
  }
  EXPECT_EQ(weights, 2332704U) << "Krizhevsky 2012: 60 million less those of the dense layers";
  EXPECT_EQ(products, 665784864U);
  EXPECT_EQ(values_of(all.back().out), 9216U);
}

}  // namespace
}  // namespace isthmus::apps
