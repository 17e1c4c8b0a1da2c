// Random graphs, on the reference and on the engine. ISTHMUS_FUZZ_SEED: the first seed; ISTHMUS_FUZZ_SECONDS: for how
// long; ISTHMUS_FUZZ_REPLAY: a file with the listing of one graph.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/agreement.hpp"
#include "engine/generator.hpp"

namespace isthmus::reference {
namespace {

constexpr std::uint64_t kBatch = 50;
constexpr unsigned kSecondsABatch = 120;
constexpr unsigned kSecondsAGraph = 20;

std::string setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string failure_of(const Scenario& scenario) {
  return isolated([&](const Report&) { return disagreement(scenario, 1); }, kSecondsAGraph);
}

/// The same for failures of one nature, so that shrinking does not wander off to another bug.
std::string kind_of(const std::string& failure) {
  const auto start = failure.find("observed: ");
  const auto text = start == std::string::npos ? failure : failure.substr(start + 10);
  for (const char* kind : {"push", "pop", "expected", "the report", "the message", "died"})
    if (text.rfind(kind, 0) == 0) return kind;
  return text.find("expected busy") != std::string::npos ? "activity" : text.substr(0, 20);
}

void expect_agreement(const Scenario& scenario, const std::string& origin) {
  const auto failure = failure_of(scenario);
  EXPECT_TRUE(failure.empty()) << origin << ": " << failure << "\n" << listing(scenario);
}

rc::Seq<Choices> smaller(const Choices& choices) {
  return rc::seq::concat(rc::shrink::removeChunks(choices), rc::shrink::eachElement(choices, [](std::uint64_t choice) {
                           return rc::shrink::towards(choice, std::uint64_t{0});
                         }));
}

/// Shows the smallest graph found that has the failure of a seed's.
void show_smallest(std::uint64_t seed) {
  Dice dice(seed);
  const auto kind = kind_of(failure_of(generate(dice)));
  const rc::Gen<Choices> some(
      [&](const rc::Random&, int) { return rc::shrinkable::shrinkRecur(dice.made(), smaller); });
  EXPECT_TRUE(rc::check([&] {
    Dice chosen(*some);
    const Scenario scenario = generate(chosen);
    const auto failure = failure_of(scenario);
    RC_LOG() << failure << "\n" << listing(scenario);
    RC_ASSERT(failure.empty() || kind_of(failure) != kind);
  })) << "ISTHMUS_FUZZ_SEED="
      << seed;
}

/// The first seed of a batch on which there is no agreement.
std::optional<std::uint64_t> failing_seed(std::uint64_t first) {
  std::string seed;
  const auto work = [&](const Report& tell) {
    for (std::uint64_t s = first; s < first + kBatch; ++s) {
      tell(std::to_string(s));
      Dice dice(s);
      if (const auto text = disagreement(generate(dice), 1); !text.empty()) return text;
    }
    return std::string();
  };
  if (isolated(work, kSecondsABatch, &seed).empty()) return std::nullopt;
  return std::stoull(seed);
}

void replay(const std::string& file) {
  std::ifstream in(file);
  ASSERT_TRUE(in) << "no readable file: " << file;
  std::stringstream text;
  text << in.rdbuf();
  expect_agreement(parse(text.str()), file);
}

TEST(Engine, AgreesWithTheReferenceOnGraphsThatOnceShowedABug) {
  int replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ISTHMUS_REPLAYS)) {
    replay(entry.path());
    ++replayed;
  }
  EXPECT_GT(replayed, 0);
}

TEST(Engine, AgreesWithTheReferenceOnRandomGraphs) {
  if (const auto file = setting("ISTHMUS_FUZZ_REPLAY", ""); !file.empty()) return replay(file);
  const auto seconds = std::stod(setting("ISTHMUS_FUZZ_SECONDS", "20"));
  std::random_device device;
  const auto first = std::stoull(setting("ISTHMUS_FUZZ_SEED", std::to_string(device())));
  fmt::print("ISTHMUS_FUZZ_SEED={}\n", first);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto seed = first;
  for (; spent() < seconds; seed += kBatch)
    if (const auto failing = failing_seed(seed)) return show_smallest(*failing);
  fmt::print("{} graphs\n", seed - first);
}

}  // namespace
}  // namespace isthmus::reference
