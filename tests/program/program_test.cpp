// An application's messages on threads and on modelled boards.
#include "isthmus/program.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "program/native.hpp"
#include "program/stream_flow.hpp"

namespace isthmus::program {
namespace {

using Number = std::uint32_t;
using Numbers = std::array<Number, 16>;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Increment {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() {
    StreamWord word = in.read();
    auto numbers = std::bit_cast<Numbers>(word.data);
    for (Number& number : numbers) ++number;
    word.data = std::bit_cast<Word>(numbers);
    out.push(word);
  }
};

/// One word for each message: in each of its numbers the sum of those at that place.
struct Sum {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  Numbers sums{};
  void step() {
    const StreamWord word = in.read();
    const auto numbers = std::bit_cast<Numbers>(word.data);
    for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
    if (!word.last) return;
    out.push({.data = std::bit_cast<Word>(sums), .last = true});
    sums = {};
  }
};

/// Never says where a message ends.
struct Endless {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() { out.push({.data = in.read().data, .last = false}); }
};

/// Gives nothing back.
struct Silent {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() { in.read(); }
};

/// Gives back the first words alone; with `closes`, the last of them ends a message.
struct FirstWords {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  int left;
  bool closes;
  FirstWords(int words, bool with_end) : left(words), closes(with_end) {}
  void step() {
    StreamWord word = in.read();
    if (left == 0) return;
    if (--left == 0 && closes) word.last = true;
    out.push(word);
  }
};

/// Hands words on, after work of more than the silence that is waited for.
struct Slow {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() {
    const StreamWord word = in.read();
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200)) {
    }
    out.push(word);
  }
};

void fill(int message, std::span<Number> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<Number>(message) * 1000003U + static_cast<Number>(i);
}

/// Two actors in a row: each number and 2.
Application<Number, Number> increments(std::size_t numbers) {
  return {.name = "increments",
          .summary = "each number and 2",
          .input = numbers,
          .output = numbers,
          .kernel =
              [](Kernel& kernel) {
                auto& first = kernel.add<Increment>("first");
                auto& second = kernel.add<Increment>("second");
                kernel.from_host(first.in);
                kernel.connect(first.out, second.in);
                kernel.to_host(second.out);
              },
          .fill = fill,
          .reference =
              [](std::span<const Number> in, std::span<Number> out) {
                for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 2;
              }};
}

Application<Number, Number> sums(std::size_t numbers) {
  auto application = increments(numbers);
  application.output = 16;
  application.kernel = [](Kernel& kernel) {
    auto& sum = kernel.add<Sum>("sum");
    kernel.from_host(sum.in);
    kernel.to_host(sum.out);
  };
  application.reference = [](std::span<const Number> in, std::span<Number> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i % 16] = (i < 16 ? 0 : out[i % 16]) + in[i];
  };
  return application;
}

StreamRun stream(const ByteApplication& application, int messages, const std::vector<std::string>& settings = {}) {
  return run_stream(platform::load(platform::file_of("model:aws-f1"), settings),
                    {.application = application, .flow = "stream", .count = messages});
}

Run on_model(const ByteApplication& application, int messages, const std::vector<std::string>& settings = {}) {
  return stream(application, messages, settings).run;
}

struct Threads {
  int workers = 0;
  double silence = 10;
  std::function<void(int)> progress{};
};

Run on_threads(const ByteApplication& application, int messages, const Threads& threads = {}) {
  return run_native({.application = application,
                     .flow = "stream",
                     .count = messages,
                     .progress = threads.progress,
                     .workers = threads.workers,
                     .silence = threads.silence})
      .run;
}

TEST(Application, GivesTheReferencesBytesOnModelsAndOnThreads) {
  for (const auto& application : {increments(16), increments(1008), sums(16), sums(4096)}) {
    EXPECT_FALSE(on_model(application.bytes(), 20).difference);
    EXPECT_FALSE(on_threads(application.bytes(), 20).difference);
    EXPECT_FALSE(on_threads(application.bytes(), 20, {.workers = 1}).difference);
  }
}

TEST(Application, ManyMessagesGoThroughThreadsInBatches) {
  int compared = 0;
  const auto result = on_threads(increments(16).bytes(), 2500, {.progress = [&](int done) { compared = done; }});
  EXPECT_FALSE(result.difference);
  EXPECT_EQ(compared, 2500);
}

TEST(Application, AnOutputThatDiffersIsNamedByMessageAndElementWithHowManyDiffer) {
  auto application = increments(32);
  application.reference = [](std::span<const Number> in, std::span<Number> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 2;
    if (in[0] == 3 * 1000003U) out[17] += 1;
    if (in[0] == 4 * 1000003U) out[2] = out[9] = 0;
  };
  const auto differs = [](const program::Run& result) {
    const auto& found = result.difference;
    const Number right = 3 * 1000003U + 17 + 2;
    return found && found->message == 3 && found->offset == 17 && found->expected == std::to_string(right + 1) &&
           found->got == std::to_string(right) && found->elements == 3 && found->of_elements == 5 * 32 &&
           found->messages == 2 && found->of_messages == 5;
  };
  EXPECT_TRUE(differs(on_model(application.bytes(), 5)));
  EXPECT_TRUE(differs(on_threads(application.bytes(), 5)));
}

TEST(Application, AnOutputThatIsNeverClosedOrTooLongIsAnError) {
  auto application = increments(32);
  application.kernel = [](Kernel& kernel) {
    auto& endless = kernel.add<Endless>("endless");
    kernel.from_host(endless.in);
    kernel.to_host(endless.out);
  };
  EXPECT_THROW(on_model(application.bytes(), 2), Error);
  EXPECT_THAT([&] { on_threads(application.bytes(), 2); }, ThrowsMessage<Error>(HasSubstr("`last` closes a message")));
}

/// Takes words and gives none back, but counts its steps: it is never idle.
struct Swallower {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  std::vector<int> steps{0};
  void step() {
    if (!in.pull()) ++steps[0];
  }
};

TEST(Application, AWordThatNeverComesIsSaidOnThreadsAsOnTheModel) {
  for (const bool counts : {false, true}) {
    auto application = increments(32);
    application.kernel = [counts](Kernel& kernel) {
      const auto place = [&kernel](auto& actor) {
        kernel.from_host(actor.in);
        kernel.to_host(actor.out);
      };
      counts ? place(kernel.add<Swallower>("swallower")) : place(kernel.add<Silent>("silent"));
    };
    const auto says = ThrowsMessage<Error>(HasSubstr("message 0 has not come back from the kernel"));
    if (!counts) {
      EXPECT_THAT([&] { on_model(application.bytes(), 2, {"stream.porter_period=1ms"}); }, says);
    }
    EXPECT_THAT([&] { on_threads(application.bytes(), 2, {.silence = 0.3}); }, says);
  }
}

/// Messages of two words of which so many words come back.
Application<Number, Number> first_words(int words, bool closes) {
  auto application = increments(32);
  application.kernel = [=](Kernel& kernel) {
    auto& first = kernel.add<FirstWords>("first words", words, closes);
    kernel.from_host(first.in);
    kernel.to_host(first.out);
  };
  return application;
}

void expect_of_both(const ByteApplication& application, const testing::Matcher<std::string>& message) {
  EXPECT_THAT([&] { on_model(application, 4, {"stream.porter_period=1ms"}); }, ThrowsMessage<Error>(message));
  EXPECT_THAT([&] { on_threads(application, 4); }, ThrowsMessage<Error>(message));
}

TEST(Application, TheFirstMessageThatIsNotWholeIsNamedOnThreadsAsOnTheModel) {
  for (int words = 0; words < 8; ++words) {
    SCOPED_TRACE(words);
    const auto missing = "message " + std::to_string(words / 2) + " has not come back from the kernel";
    expect_of_both(first_words(words, false).bytes(), HasSubstr(missing));
    if (words % 2 == 0) continue;
    const auto cut = "message " + std::to_string(words / 2) + " of 'increments': expected 128 bytes of output, got 64";
    expect_of_both(first_words(words, true).bytes(), HasSubstr(cut));
  }
}

TEST(Application, AStepThatIsAtWorkForLongIsNotTakenForDead) {
  auto application = increments(16);
  application.kernel = [](Kernel& kernel) {
    auto& slow = kernel.add<Slow>("slow");
    kernel.from_host(slow.in);
    kernel.to_host(slow.out);
  };
  application.reference = [](std::span<const Number> in, std::span<Number> out) { std::ranges::copy(in, out.begin()); };
  EXPECT_FALSE(on_threads(application.bytes(), 1, {.silence = 0.05}).difference);
}

TEST(Application, MessagesThatTheLinkCannotCarryAreRefused) {
  EXPECT_THAT([] { on_threads(increments(17).bytes(), 1); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'increments'"), HasSubstr("multiple of 64 bytes, got 68"))));
  EXPECT_THAT([] { on_model(increments(0).bytes(), 1); }, ThrowsMessage<Error>(HasSubstr("got 0")));
}

TEST(Application, MessagesLargerThanABufferOfTheLinkTakeSeveral) {
  for (const auto& application : {increments(8192), increments(4096 + 16), sums(12288)})
    EXPECT_FALSE(on_model(application.bytes(), 5, {"stream.buffer_size=16KiB"}).difference);
}

TEST(Application, AModelTellsOfTheKernelsActorsAmongTheLinksParts) {
  const auto parts = stream(increments(1024).bytes(), 10).parts;
  EXPECT_THAT(parts, Contains(Field(&platform::Part::name, "first")));
  EXPECT_THAT(parts, Contains(Field(&platform::Part::name, "second")));
  EXPECT_EQ(parts.front().name, "producer thread");
  EXPECT_EQ(parts.back().name, "consumer thread");
}

TEST(Application, TwiceTheMessagesTakeTwiceTheVirtualTime) {
  const auto time = [](int messages) { return on_model(increments(16384).bytes(), messages).times.elapsed.seconds(); };
  EXPECT_NEAR((time(120) - time(80)) / (time(80) - time(40)), 1, 0.02);
}

class Printed {
 public:
  explicit Printed(std::vector<std::string> arguments) : Printed(std::move(arguments), increments(64)) {}
  Printed(std::vector<std::string> arguments, const auto& application) {
    arguments.insert(arguments.begin(), "increments");
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
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
    const Printed printed({"--on", target, "--messages", "7"});
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
  const auto row = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--on", "native", "--messages", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Printed(arguments).records.at(0);
  };
  const auto usual = row({});
  auto samples = usual.at("samples").get<std::vector<double>>();
  ASSERT_EQ(samples.size(), 3U);
  std::ranges::sort(samples);
  EXPECT_EQ(usual.at("value"), samples[1]);
  EXPECT_NEAR(usual.at("spread").get<double>(), (samples[2] - samples[0]) / 2 / samples[1], 1e-9);
  EXPECT_EQ(usual.at("warmup"), 1);
  EXPECT_THAT(usual.at("load").get<double>(), AllOf(testing::Ge(0), testing::Le(1)));
  const auto asked = row({"--repeat", "6", "--warmup", "0"});
  EXPECT_EQ(asked.at("samples").size(), 6U);
  EXPECT_EQ(asked.at("warmup"), 0);
  EXPECT_FALSE(Printed({"--on", "model:aws-f1", "--messages", "3"}).records.at(0).contains("load"));
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
  const Printed printed({"--list"});
  ASSERT_EQ(printed.records.size(), 1U);
  EXPECT_EQ(printed.records[0].at("name"), "increments");
  EXPECT_THAT(printed.records[0].at("flows"), ElementsAre("stream"));
  EXPECT_EQ(printed.records[0].at("counted"), "messages");
  EXPECT_EQ(printed.records[0].at("count"), 200);
  EXPECT_TRUE(printed.records[0].at("parameters").empty());
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
  for (const std::vector<std::string>& form : {std::vector<std::string>{"--numbers", "48"}, {"--set", "numbers=48"}}) {
    std::vector<std::string> arguments{"--on", "model:aws-f1", "--packets", "4"};
    arguments.insert(arguments.end(), form.begin(), form.end());
    const auto row = Printed(arguments, of_numbers()).records.at(0);
    EXPECT_EQ(row.at("parameters"), nlohmann::json({{"numbers", 48}}));
    EXPECT_EQ(row.at("bytes_each"), 48 * sizeof(Number));
    EXPECT_EQ(row.at("packets"), 4);
    EXPECT_EQ(row.at("unit"), "packets/s");
    EXPECT_EQ(row.at("verified"), true);
  }
  const auto usual = Printed({"--on", "model:aws-f1"}, of_numbers()).records.at(0);
  EXPECT_EQ(usual.at("count"), 9);
  EXPECT_EQ(usual.at("parameters").at("numbers"), 32);
  EXPECT_THAT(Printed({"--on", "native", "--messages", "4"}, of_numbers()).error, HasSubstr("--messages"));
}

/// Adds what it was told before the first message.
struct Offset {
  In<StreamWord> in{"in"};
  In<std::uint32_t> control{"control"};
  Out<StreamWord> out{"out"};
  Out<ControlMessage> status{"status"};
  Number by = 0;
  bool told = false;
  void step() {
    if (!told) {
      by = control.read() + control.read();
      status.push({.tag = 9, .message = 0});
      told = true;
    }
    const StreamWord word = in.read();
    auto numbers = std::bit_cast<Numbers>(word.data);
    for (Number& number : numbers) number += by;
    out.push({.data = std::bit_cast<Word>(numbers), .last = word.last});
  }
};

TEST(Application, ControlMessagesReachTheKernelBeforeTheFirstWord) {
  auto application = increments(16384);
  application.kernel = [](Kernel& kernel) {
    auto& offset = kernel.add<Offset>("offset");
    kernel.from_host(offset.in);
    kernel.control(offset.control, offset.status);
    kernel.to_host(offset.out);
  };
  EXPECT_THAT([&] { on_model(application.bytes(), 3); }, ThrowsMessage<Error>(HasSubstr("takes control messages")));
  application.extras.control = {.messages = {1, 1}, .ready = 9};
  application.extras.steady = true;
  EXPECT_FALSE(on_model(application.bytes(), 20).difference);
  EXPECT_FALSE(on_threads(application.bytes(), 20).difference);
  const ByteApplication bytes = application.bytes();
  // Coarse, where most messages go through the actors alone.
  const std::vector<std::string> quick{"stream.porter_period=1us", "link.pcie.round_trip=500ns"};
  const auto coarse = run_stream(platform::load(platform::file_of("model:aws-f1"), quick),
                                 {.application = bytes, .flow = "stream", .count = 300, .grain = Grain::coarse});
  EXPECT_FALSE(coarse.run.difference);
  EXPECT_EQ(coarse.grain, Grain::coarse);
  application.extras.control.messages = {1, 2};
  EXPECT_TRUE(on_model(application.bytes(), 3).difference);
}

TEST(Program, ASettingChangesTheModel) {
  const auto value = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--on", "model:aws-f1", "--messages", "50"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Printed(arguments).records.at(0).at("value").get<double>();
  };
  EXPECT_LT(value({"--set", "stream.porter_period=100us"}), 0.5 * value({}));
}

TEST(Program, GoesOverTheLinkThatIsNamed) {
  const std::string board = data_file("tests/boards/two-links.toml").string();
  const auto row = [](const std::vector<std::string>& where) {
    std::vector<std::string> arguments{"--messages", "50", "--on"};
    arguments.insert(arguments.end(), where.begin(), where.end());
    return Printed(arguments).records.at(0);
  };
  const auto narrow = row({board, "--channel", "narrow"});
  EXPECT_EQ(narrow.at("channel"), "narrow");
  EXPECT_EQ(narrow.at("value"), row({"model:aws-f1", "--set", "link.pcie.lanes=8"}).at("value")) << "its other link";
  EXPECT_EQ(row({board}).at("channel"), "vh0");
  EXPECT_FALSE(row({"model:aws-f1", "--channel", "pcie"}).contains("channel")) << "there is no other";
}

TEST(Program, RefusesInOneLineWhatItCannotDo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{}, "--on: expected a target"},
      {{"--on", "model:aws-f2"}, "aws-f1"},
      {{"--on", "opencl:0"}, "'increments'"},
      {{"--on", "model:aws-f1", "--flow", "offload"},
       "application 'increments' has no flow 'offload': expected stream"},
      {{"--on", "model:aws-f1", "--flow", "steam"}, "did you mean 'stream'?"},
      {{"--on", "native", "--messages", "0"}, "--messages: expected 1 or more, got 0"},
      {{"--on", "native", "--count", "0"}, "--count: expected 1 or more, got 0"},
      {{"--on", "native", "--count", "1", "--messages", "1"}, "two names of one option"},
      {{"--on", "native", "--set", "lanes=8"}, "--set lanes=8: application 'increments' has no parameters"},
      {{"--on", "native", "--repeat", "-1"}, "--repeat: expected 1 or more, got -1"},
      {{"--on", "native", "--set", "link.pcie.lanes=8"}, "only models have settings"},
      {{"--on", "native", "--channel", "vh0"}, "only models have links to choose"},
      {{"--on", "model:aws-f1", "--channel", "vh0"}, "unknown channel 'vh0': expected pcie"},
      {{"--on", "native", "--trace", "t"}, "only the parts of models are seen"},
      {{"--on", "model:aws-f1", "--workers", "1"}, "expected the target native"},
      {{"--on", "model:aws-f1", "--set", "link.pcie.lanes=0"}, "link.pcie.lanes"},
      {{"--frames", "3"}, "--frames"}};
  for (const auto& [arguments, part] : refused) {
    const Printed printed(arguments);
    EXPECT_EQ(printed.code, 2) << part;
    EXPECT_THAT(printed.error, AllOf(testing::StartsWith("error: "), HasSubstr(part)));
    EXPECT_EQ(std::ranges::count(printed.error, '\n'), 1) << printed.error;
    EXPECT_TRUE(printed.records.empty());
  }
}

}  // namespace
}  // namespace isthmus::program
