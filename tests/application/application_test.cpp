// An application's messages on threads and on modelled boards.
#include "isthmus/application/application.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <vector>

#include "application/increments.hpp"
#include "application/one_actor.hpp"
#include "flows/stream/stream_flow.hpp"
#include "flows/threads/native.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

Application<Number, Number> sums(std::size_t numbers) {
  auto application = increments(numbers);
  application.output = 16;
  application.kernel = host_to_host<Sum>("sum");
  application.reference = [](std::span<const Number> in, std::span<Number> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i % 16] = (i < 16 ? 0 : out[i % 16]) + in[i];
  };
  return application;
}

BoardRun stream(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {}) {
  return run_stream(platform::load(platform::file_of("model:aws-f1"), overrides),
                    {.application = application, .flow = "stream", .count = messages});
}

Run on_model(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {}) {
  return stream(application, messages, overrides).run;
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
  application.kernel = host_to_host<Endless>("endless");
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
    application.kernel = counts ? host_to_host<Swallower>("swallower") : host_to_host<Silent>("silent");
    const auto says = ThrowsMessage<Error>(HasSubstr("message 0 has not come back from the kernel"));
    if (!counts) {
      EXPECT_THAT([&] { on_model(application.bytes(), 2, {"stream.porter_period=1ms"}); }, says);
    }
    EXPECT_THAT([&] { on_threads(application.bytes(), 2, {.silence = 0.3}); }, says);
  }
}

/// Hands on each word once the next has come, and asks on after the close.
struct OneBehind {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  StreamWord kept{};
  bool keeps = false;
  void step() {
    StreamWord word;
    if (!in.pull(word)) return;
    if (keeps) out.push(kept);
    kept = word;
    keeps = true;
  }
  bool done() const { return false; }
};

TEST(Application, APullAfterTheCloseFindsNothingAndTheMessageThatItWaitsForIsSaid) {
  auto application = increments(32);
  application.kernel = host_to_host<OneBehind>("one behind");
  const auto says = ThrowsMessage<Error>(HasSubstr("message 3 has not come back from the kernel"));
  EXPECT_THAT([&] { on_model(application.bytes(), 4, {"stream.porter_period=1ms"}); }, says);
  EXPECT_THAT([&] { on_threads(application.bytes(), 4, {.silence = 0.3}); }, says);
}

/// Messages of two words of which so many words come back.
Application<Number, Number> first_words(int words, bool closes) {
  auto application = increments(32);
  application.kernel = host_to_host<FirstWords>("first words", words, closes);
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
  application.kernel = host_to_host<Slow>("slow");
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

TEST(Application, ControlMessagesReachTheKernelBeforeTheFirstWord) {
  auto application = increments(16384);
  application.kernel = [](Kernel& kernel) {
    auto& told = kernel.add<Told>("told", 2);
    kernel.from_host(told.in);
    kernel.control(told.control, told.status);
    kernel.to_host(told.out);
  };
  EXPECT_THAT([&] { on_model(application.bytes(), 3); }, ThrowsMessage<Error>(HasSubstr("takes control messages")));
  application.extras.control = {.messages = {1, 1}, .ready = Told::kReady};
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

}  // namespace
}  // namespace isthmus::program
