// The program of an application: what it takes, prints and refuses.
#include "isthmus/program.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "application/increments.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/native.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Printed {
 public:
  explicit Printed(const std::string& argument) : Printed(argument, increments(64)) {}
  Printed(std::string argument, const auto& application) {
    std::string name = "increments";
    std::array argv{name.data(), argument.data()};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    code = main_of(static_cast<int>(argv.size()), argv.data(), application);
    std::istringstream lines(testing::internal::GetCapturedStdout());
    for (std::string line; std::getline(lines, line);) {
      auto record = nlohmann::json::parse(line);
      if (record.at("event") != "progress") records.push_back(std::move(record));
    }
    error = testing::internal::GetCapturedStderr();
  }
  int code;
  std::vector<nlohmann::json> records;
  std::string error;
};

TEST(Program, PrintsARowOfEachTarget) {
  for (const std::string target : {"model:aws-f1", "native"}) {
    const Printed printed(R"({"messages":7,"on":")" + target + "\"}");
    EXPECT_EQ(printed.code, 0) << printed.error;
    ASSERT_EQ(printed.records.size(), 1U);
    const auto& row = printed.records[0];
    EXPECT_EQ(row.at("kind"), target == "native" ? "measured" : "modelled");
    EXPECT_EQ(row.at("messages"), 7);
    EXPECT_EQ(row.at("bytes_per_message"), 256);
    EXPECT_EQ(row.at("count"), 7);
    EXPECT_EQ(row.at("counted"), "messages");
    EXPECT_EQ(row.at("bytes_each"), 256);
    EXPECT_TRUE(row.at("parameters").empty());
    const auto& latency = row.at("latency");
    EXPECT_GT(latency.at("p50_s"), 0.0);
    EXPECT_GE(latency.at("p99_s"), latency.at("p50_s"));
    EXPECT_GE(latency.at("p999_s"), latency.at("p99_s"));
    EXPECT_GE(latency.at("max_s"), latency.at("p999_s"));
    EXPECT_EQ(row.at("verified"), true);
    const double elapsed = row.at("elapsed_s");
    EXPECT_NEAR(row.at("value").get<double>() * elapsed, 7, 1e-9);
    EXPECT_NEAR(row.at("gb_per_s").get<double>() * elapsed, 7 * 256e-9, 1e-12);
    EXPECT_EQ(row.contains("bottleneck"), target != "native");
  }
}

TEST(Program, ARunOnThreadsOfLessThanASecondIsMadeThreeTimesAfterOneThatDoesNotCount) {
  const auto row = [](const std::string& more) {
    return Printed(R"({"on":"native","messages":3)" + more + "}").records.at(0);
  };
  const auto usual = row("");
  auto samples = usual.at("samples").get<std::vector<double>>();
  ASSERT_EQ(samples.size(), 3U);
  std::ranges::sort(samples);
  EXPECT_EQ(usual.at("value"), samples[1]);
  EXPECT_NEAR(usual.at("spread").get<double>(), (samples[2] - samples[0]) / 2 / samples[1], 1e-9);
  EXPECT_EQ(usual.at("warmup"), 1);
  EXPECT_THAT(usual.at("load").get<double>(), AllOf(testing::Ge(0), testing::Le(1)));
  const auto asked = row(R"(,"repeat":6,"warmup":0)");
  EXPECT_EQ(asked.at("samples").size(), 6U);
  EXPECT_EQ(asked.at("warmup"), 0);
  EXPECT_FALSE(Printed(R"({"on":"model:aws-f1","messages":3})").records.at(0).contains("load"));
}

TEST(Differences, ElementsAreWrittenAsTheirTypeWritesThem) {
  enum class Colour : std::uint8_t { red = 7 };
  struct Pair {
    std::uint16_t a, b;
  };
  EXPECT_EQ(text_of(std::int8_t{-5}), "-5");
  EXPECT_EQ(text_of(Colour::red), "7");
  EXPECT_EQ(std::stof(text_of(0.1F)), 0.1F);
  EXPECT_EQ(text_of(Pair{0x0102, 0xfffe}), "0x 02 01 fe ff");
}

TEST(Differences, TwoValuesThatReadAlikeAreShownAsBytes) {
  const std::array<float, 2> right{1, std::bit_cast<float>(0x7fc00000U)};
  const std::array<float, 2> got{1, std::bit_cast<float>(0x7fc00001U)};
  Differences differences(sizeof(float), [](std::span<const std::byte>) { return std::string("nan"); });
  differences.compare(0, std::as_bytes(std::span(right)), std::as_bytes(std::span(got)));
  ASSERT_TRUE(differences.found());
  EXPECT_EQ(differences.found()->offset, 1U);
  EXPECT_EQ(differences.found()->got, "0x 01 00 c0 7f");
}

TEST(Program, SaysWhatItIs) {
  const Printed printed("--describe");
  ASSERT_EQ(printed.records.size(), 1U);
  EXPECT_EQ(printed.records[0].at("event"), "description");
  const auto& described = printed.records[0].at("applications").at(0);
  EXPECT_EQ(described.at("name"), "increments");
  EXPECT_THAT(described.at("flows"), ElementsAre("stream", "shared"));
  EXPECT_EQ(described.at("counted"), "messages");
  EXPECT_EQ(described.at("count"), 200);
  EXPECT_TRUE(described.at("parameters").empty());
  for (const std::string board : {"model:aws-f1", "model:xeon-fpga-v1"})
    EXPECT_EQ(described.at("on").at(board),
              Printed(R"({"list":true,"on":")" + board + "\"}").records.at(0).at("flows"));
  EXPECT_FALSE(printed.records[0].at("made_of").empty());
}

TEST(Program, IsAskedInOneWay) {
  for (const std::string argument : {"--help", "--list", ""}) {
    const Printed printed(argument);
    EXPECT_EQ(printed.code, 2);
    EXPECT_THAT(printed.error,
                testing::StartsWith(R"(error: request: expected a JSON object such as {"on":"native"})"));
  }
}

/// Increments of as many numbers as a parameter says.
Maker of_numbers() {
  return {.parameters = {{.name = "numbers", .kind = ParameterKind::integer, .help = "of a message", .preset = "32"}},
          .make = [](const Values& values) {
            auto application = increments(static_cast<std::size_t>(values.integer("numbers")));
            application.extras.counted = "packets";
            application.extras.count = 9;
            return application.bytes();
          }};
}

TEST(Program, OfAMakerTakesItsParametersAndCountsByItsName) {
  for (const std::string form : {R"("numbers":48)", R"("set":{"numbers":48})"}) {
    const auto row = Printed(R"({"on":"model:aws-f1","packets":4,)" + form + "}", of_numbers()).records.at(0);
    EXPECT_EQ(row.at("parameters"), nlohmann::json({{"numbers", 48}}));
    EXPECT_EQ(row.at("bytes_each"), 48 * sizeof(Number));
    EXPECT_EQ(row.at("packets"), 4);
    EXPECT_EQ(row.at("unit"), "packets/s");
    EXPECT_EQ(row.at("verified"), true);
  }
  const auto usual = Printed(R"({"on":"model:aws-f1"})", of_numbers()).records.at(0);
  EXPECT_EQ(usual.at("count"), 9);
  EXPECT_EQ(usual.at("parameters").at("numbers"), 32);
  EXPECT_THAT(Printed(R"({"on":"native","messages":4})", of_numbers()).error, HasSubstr("--messages"));
}

TEST(Program, ASettingChangesTheModel) {
  const auto value = [](const std::string& more) {
    return Printed(R"({"on":"model:aws-f1","messages":50)" + more + "}").records.at(0).at("value").get<double>();
  };
  EXPECT_LT(value(R"(,"set":{"stream.porter_period":"100us"})"), 0.5 * value(""));
}

TEST(Program, GoesOverTheLinkThatIsNamed) {
  const std::string board = data_file("tests/boards/two-links.toml").string();
  const auto row = [](const std::string& on, const std::string& more) {
    return Printed(R"({"messages":50,"on":")" + on + "\"" + more + "}").records.at(0);
  };
  const auto narrow = row(board, R"(,"channel":"narrow")");
  EXPECT_EQ(narrow.at("channel"), "narrow");
  EXPECT_EQ(narrow.at("value"), row("model:aws-f1", R"(,"set":{"link.pcie.lanes":8})").at("value")) << "its other link";
  EXPECT_EQ(row(board, "").at("channel"), "vh0");
  EXPECT_FALSE(row("model:aws-f1", R"(,"channel":"pcie")").contains("channel")) << "there is no other";
}

TEST(Program, RefusesInOneLineWhatItCannotDo) {
  const std::string native = R"("on":"native",)";
  const std::string f1 = R"("on":"model:aws-f1",)";
  const std::string workers = "--workers: expected 1.." + std::to_string(native::cores());
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "--on: expected a target"},
      {R"("on":"model:aws-f2")", "aws-f1"},
      {R"("on":"opencl:0")", "'increments'"},
      {f1 + R"("flow":"offload")", "application 'increments' has no flow 'offload': expected stream"},
      {f1 + R"("flow":"steam")", "did you mean 'stream'?"},
      {native + R"("messages":0)", "--messages: expected 1 or more, got 0"},
      {native + R"("count":0)", "--count: expected 1 or more, got 0"},
      {native + R"("count":1,"messages":1)", "two names of one option"},
      {native + R"("set":{"lanes":8})", "--set lanes=8: application 'increments' has no parameters"},
      {native + R"("repeat":-1)", "--repeat: expected 1 or more, got -1"},
      {native + R"("warmup":-1)", "--warmup: expected 0 or more, got -1"},
      {native + R"("set":{"link.pcie.lanes":8})", "only models have settings"},
      {native + R"("channel":"vh0")", "only models have links to choose"},
      {f1 + R"("channel":"vh0")", "unknown channel 'vh0': expected pcie"},
      {native + R"("trace":"t")", "only the parts of models are seen"},
      {f1 + R"("trace-window":"1ms..2ms")", "--trace-window: expected --trace FILE with it"},
      {f1 + R"("workers":1)", "expected the target native"},
      {native + R"("workers":-1)", workers + ", got -1"},
      {native + R"("workers":0)", workers + ", got 0"},
      {native + R"("workers":8193)", workers + ", got 8193"},
      {f1 + R"("map":{"increment":0})", "--map: expected the target native"},
      {f1 + R"("compute-units":2)", "--compute-units: expected the target native"},
      {native + R"("compute-units":0)", "--compute-units: expected 1..1024, got 0"},
      {native + R"("compute-units":-1)", "--compute-units: expected 1..1024, got -1"},
      {native + R"("compute-units":1025)", "--compute-units: expected 1..1024, got 1025"},
      {native + R"("compute-units":2)", "'increments', whose messages may depend on each other, got 2"},
      {f1 + R"("set":{"link.pcie.lanes":0})", "link.pcie.lanes"},
      {R"("frames":3)", "--frames"}};
  for (const auto& [members, part] : refused) {
    const Printed printed("{" + members + "}");
    EXPECT_EQ(printed.code, 2) << part;
    EXPECT_THAT(printed.error, AllOf(testing::StartsWith("error: "), HasSubstr(part)));
    EXPECT_EQ(std::ranges::count(printed.error, '\n'), 1) << printed.error;
    EXPECT_TRUE(printed.records.empty());
  }
}

}  // namespace
}  // namespace isthmus::program
