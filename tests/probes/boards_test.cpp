// Probes on boards of any set of parts: what each needs, and what it finds.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "base/temporary_folder.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/schema.hpp"
#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/probes/probe.hpp"

namespace isthmus::probes {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr double kMicrosecond = 1e-6;

std::string board(const std::string& name) {
  return data_file("tests/boards/" + name + ".toml").string();
}

/// The values that a probe finds at 4 KiB, by what tells them apart.
std::vector<double> found(const Probe& probe, const std::string& target, const std::string& channel = "",
                          const std::vector<std::string>& overrides = {}) {
  const Job job{.target = target, .overrides = overrides, .channel = channel, .sizes = {{4096}}};
  Target opened(job);
  std::vector<double> values;
  probe.run(job, opened, [&values](const Finding& finding) {
    values.insert(values.end(), finding.samples.begin(), finding.samples.end());
  });
  return values;
}

/// The sections of a file by the last word of their names, which is their kind.
class Sections {
 public:
  explicit Sections(const std::string& file) : text_(read_text(data_file(file))) {}
  std::string of(std::string_view kind) const {
    const auto known = std::ranges::find_if(
        platform::schema(), [kind](const auto* one) { return one->name() == kind || one->family == kind; });
    const auto word = text_.find(fmt::format(".{}]\n", (*known)->name()));
    const auto begin =
        word == std::string::npos ? text_.find(fmt::format("[{}]\n", (*known)->name())) : text_.rfind("\n[", word) + 1;
    const auto end = text_.find("\n[", begin);
    return text_.substr(begin, end == std::string::npos ? end : end + 1 - begin);
  }

 private:
  std::string text_;
};

/// A board of these kinds of parts, F1's, those of a board with shared memory or those of one chip, as a file.
class Board {
 public:
  Board(const Probe& probe, const std::vector<std::string_view>& kinds) {
    std::string text = "name = \"Board of parts\"\n";
    const auto needs = [&probe](std::string_view kind) {
      return std::ranges::find(probe.crosses.needs, kind) != probe.crosses.needs.end();
    };
    const Sections& parts = needs(platform::kCoherentLink) ? kShared : needs("cpu") ? kOneChip : kPrivate;
    for (const std::string_view kind : kinds) text += parts.of(kind) + "\n";
    file_ = folder_.written("board-of-parts.toml", text);
  }
  const std::string& file() const { return file_; }

 private:
  static inline const Sections kPrivate{"platforms/aws-f1.toml"};
  static inline const Sections kShared{"platforms/xeon-fpga-v1.toml"};
  static inline const Sections kOneChip{"platforms/zynq-ultrascale.toml"};
  TemporaryFolder folder_;
  std::string file_;
};

TEST(Needs, OfEveryProbeAreEnoughForIt) {
  for (const Probe& probe : all_probes()) {
    const Board whole(probe, {probe.crosses.needs.begin(), probe.crosses.needs.end()});
    EXPECT_THAT(found(probe, whole.file()), Not(IsEmpty())) << probe.name;
  }
}

TEST(Needs, OfEveryProbeAreNamedWhereTheBoardLacksOne) {
  for (const Probe& probe : all_probes())
    for (const std::string_view lacking : probe.crosses.needs) {
      std::vector<std::string_view> kinds(probe.crosses.needs.begin(), probe.crosses.needs.end());
      std::erase(kinds, lacking);
      const Board less(probe, kinds);
      EXPECT_THAT([&] { found(probe, less.file()); }, ThrowsMessage<Error>(HasSubstr(std::string(lacking))))
          << probe.name << " without " << lacking;
    }
}

// The file says the same of its first link as F1's of its only one, and of the second but for the lanes.
TEST(TwoLinks, AreProbedEachAsTheOnlyLinkOfABoard) {
  for (const Probe& probe : all_probes()) {
    if (!platform::has_all(platform::load(platform::file_of("model:aws-f1")), probe.crosses.needs)) continue;
    EXPECT_EQ(found(probe, board("two-links"), "vh0"), found(probe, "model:aws-f1")) << probe.name;
    EXPECT_EQ(found(probe, board("two-links"), "narrow"), found(probe, "model:aws-f1", "", {"link.pcie.lanes=8"}))
        << probe.name;
  }
}

TEST(TwoLinks, AreTheFirstWhereNoneIsNamed) {
  const Probe& copies = all_probes().front();
  EXPECT_EQ(found(copies, board("two-links")), found(copies, board("two-links"), "vh0"));
}

TEST(TwoLinks, OfWhichOneIsUnknownAreNamed) {
  EXPECT_THAT([] { offload::open_device(board("two-links"), {}, {}, {.channel = "vh7"}); },
              ThrowsMessage<Error>(HasSubstr("two-links.toml: unknown channel 'vh7': expected vh0 or narrow")));
  EXPECT_THAT([] { offload::open_device("opencl:0", {}, {}, {.channel = "vh7"}); },
              ThrowsMessage<Error>(HasSubstr("--channel vh7: target 'opencl:0' is a real device")));
}

TEST(NoLink, ReadsItsMemoryAsFastAsABoardWithOne) {
  const auto rate = [](const std::string& target) {
    const auto device = offload::open_device(target, {}, memory_kernels());
    return 1 / sample(*memory_passes(*device, Access::read, {kMebibyte}, {kMebibyte}), 1).front().seconds();
  };
  EXPECT_NEAR(rate(board("no-link")) / rate("model:aws-f1"), 1, 0.01) << "refreshes come at other times";
}

// The launch as the file gives it, the wake-up, the store, and the hops of a few threads on the host.
TEST(NoLink, LaunchesForWhatItsHostCosts) {
  const auto device = offload::open_device(board("no-link"), {}, memory_kernels());
  const double took = sample(*launches(*device), 1).front().seconds();
  EXPECT_GT(took, (30 + 10 + 0.1) * kMicrosecond);
  EXPECT_LT(took, (30 + 10 + 0.1) * kMicrosecond + 12 * 0.05 * kMicrosecond);
}

TEST(NoLink, RefusesWhatGoesOverOne) {
  const auto device = offload::open_device(board("no-link"), {}, memory_kernels());
  EXPECT_THAT(
      [&] { sample(*copies(*device, Direction::to_device, HostSide::pageable, {64}), 1); },
      ThrowsMessage<Error>(HasSubstr("no-link.toml: a copy: expected a board with pcie and memory and dma, got "
                                     "one of host.cores, host.call, host.mmio, device.dram, device.axi, kernel")));
  EXPECT_THAT(
      [&] {
        device->access_registers({.kind = offload::RegisterAccess::Kind::load, .size = {4}, .write_combining = false},
                                 1);
      },
      ThrowsMessage<Error>(HasSubstr("an access to registers: expected a board with pcie and memory")));
  EXPECT_FALSE(device->properties().link.has_value());
}

TEST(NoMemory, LaunchesAndHasNoBuffers) {
  const auto device = offload::open_device(board("no-memory"), {}, memory_kernels());
  EXPECT_EQ(device->properties().global_memory, 0);
  const double took = sample(*launches(*device), 1).front().seconds();
  EXPECT_NEAR(took, sample(*launches(*offload::open_device("model:aws-f1", {}, memory_kernels())), 1).front().seconds(),
              0.2 * kMicrosecond);
  EXPECT_THAT([&] { device->buffer(64); },
              ThrowsMessage<Error>(HasSubstr("a buffer of the device: expected a board with dram and axi")));
}

// Buffers go round the channels that kernels use, and a channel holds its part of the capacity: a MiB.
TEST(ManyChannels, AreAllOpenToKernels) {
  const std::vector<std::string> small{"device.dram.capacity=32MiB"};
  const auto device = offload::open_device(board("many-channels"), small, memory_kernels());
  std::vector<offload::Buffer> held;
  for (int i = 0; i < 32; ++i) held.push_back(device->buffer(kMebibyte));
  EXPECT_THROW(device->buffer(4096), Error) << "each channel is full";
}

// A channel of 64 bit at 1800 MT/s moves 14.4 GB/s, less what refreshes and turns of rows take.
TEST(ManyChannels, GiveABufferTheRateOfTheOneThatItLiesIn) {
  const auto device = offload::open_device(board("many-channels"), {}, memory_kernels());
  const double rate =
      1 / sample(*memory_passes(*device, Access::read, {kMebibyte}, {kMebibyte}), 1).front().seconds() * kMebibyte;
  EXPECT_LT(rate, 14.4e9);
  EXPECT_GT(rate, 0.9 * 14.4e9);
}

}  // namespace
}  // namespace isthmus::probes
