// Kernels whose actors read and write the host's memory over the link, of a modelled board and of this machine.
#include "isthmus/application/host_memory.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "flows/stream/stream_flow.hpp"
#include "flows/threads/native.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/program.hpp"

namespace isthmus::program {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint8_t kWords = 40;  ///< of a message: two requests of 1024 B and a half
constexpr std::uint64_t kMessageBytes = kWords * kWordBytes;
constexpr std::uint64_t kNumbers = kMessageBytes / sizeof(std::uint64_t);
constexpr std::uint64_t kSlots = 64;

void fill_message(int number, std::span<std::uint64_t> message) {
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::uint64_t>(number) << 32U | i;
}

/// Writes each message to the host's memory and, once it has heard of that, a flag behind it.
struct Writer {
  In<StreamWord> in{"in"};
  Out<PcieWriteApply> stores{"stores"};
  Out<PcieWriteData> words{"words"};
  In<PcieWriteDone> written{"written"};
  Out<PcieWriteApply> flags{"flags"};
  Out<PcieWriteData> flag_words{"flag_words"};
  std::uint64_t image;
  bool early;  ///< the flag comes first, as it should not
  Timer timer;
  std::uint64_t message = 0;

  Writer(std::uint64_t at, bool flag_first) : image(at), early(flag_first) {}
  void step() {
    StreamWord word = in.read();
    const std::uint64_t slot = image + message % kSlots * (kMessageBytes + kWordBytes);
    ++message;
    if (early) {
      raise_flag(slot);
      timer.wait_until(timer.now() + Time::us(5));  // longer than a poll and a read take
    }
    stores.push({.num = kWords, .addr = slot});
    for (int i = 1; i < kWords; ++i) {
      words.push({word.data});
      word = in.read();
    }
    words.push({word.data});
    written.read();
    if (!early) raise_flag(slot);
  }

 private:
  void raise_flag(std::uint64_t slot) {
    Word flag{};
    std::memcpy(flag.bytes.data(), &message, sizeof(message));
    flags.push({.num = 1, .addr = slot + kMessageBytes});
    flag_words.push({flag});
  }
};

/// Polls the flag of the next message and, when it is there, reads what lies before it: nobody tells it when.
struct Reader {
  Out<PcieReadReq> polls{"polls"};
  In<PcieReadResp> flags{"flags"};
  Out<PcieReadReq> loads{"loads"};
  In<PcieReadResp> words{"words"};
  Out<StreamWord> out{"out"};
  std::uint64_t image;
  std::uint64_t messages;
  std::uint64_t message = 0;

  Reader(std::uint64_t at, int count) : image(at), messages(static_cast<std::uint64_t>(count)) {}
  void step() {
    const std::uint64_t slot = image + message % kSlots * (kMessageBytes + kWordBytes);
    std::uint64_t flag = 0;
    while (flag != message + 1) {
      polls.push({.num = 1, .addr = slot + kMessageBytes});
      std::memcpy(&flag, flags.read().data.bytes.data(), sizeof(flag));
    }
    loads.push({.num = kWords, .addr = slot});
    for (int i = 0; i < kWords; ++i) out.push({.data = words.read().data, .last = i + 1 == kWords});
    ++message;
  }
  bool done() const { return message == messages; }
};

/// Messages that go through the host's memory on their way: written by one actor, polled for by another.
Application<std::uint64_t, std::uint64_t> by_host(int count, bool early = false) {
  Extras extras;
  extras.host = HostImage{.memory = {.bytes = kSlots * (kMessageBytes + kWordBytes)}};
  return {.name = "by-host",
          .summary = "each message by way of the host's memory",
          .input = kNumbers,
          .output = kNumbers,
          .kernel =
              [=](Kernel& kernel) {
                auto& writer = kernel.add<Writer>("writer", kernel.host_image(), early);
                auto& reader = kernel.add<Reader>("reader", kernel.host_image(), count);
                kernel.from_host(writer.in);
                kernel.writes_host({.name = "stores"}, writer.stores, writer.words, writer.written);
                kernel.writes_host({.name = "flags"}, writer.flags, writer.flag_words);
                kernel.reads_host({.name = "polls"}, reader.polls, reader.flags);
                kernel.reads_host({.name = "loads"}, reader.loads, reader.words);
                kernel.to_host(reader.out);
              },
          .fill = fill_message,
          .reference = [](auto in, auto out) { std::ranges::copy(in, out.begin()); },
          .extras = extras};
}

BoardRun on_f1(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {}) {
  return run_stream(platform::load(platform::file_of("model:aws-f1"), overrides),
                    {.application = application, .flow = "stream", .count = messages});
}

ThreadsRun on_threads(const ByteApplication& application, int messages) {
  return run_native({.application = application, .flow = "stream", .count = messages});
}

TEST(HostMemory, AWriteIsCompleteWhenAFlagWrittenAfterItIsSeen) {
  const ByteApplication application = by_host(50).bytes();
  EXPECT_FALSE(on_f1(application, 50).run.difference);
  EXPECT_FALSE(on_f1(application, 50, {"stream.request_size=64B", "stream.requests_in_flight=1"}).run.difference);
  EXPECT_FALSE(on_threads(application, 50).run.difference);
}

/// The check can say no.
TEST(HostMemory, AFlagThatIsWrittenFirstIsSeenBeforeTheWords) {
  EXPECT_TRUE(on_f1(by_host(5, true).bytes(), 5).run.difference);
}

/// A flag hits where the words before it miss: whatever takes longer for them must not let it pass.
TEST(HostMemory, NoPartOfTheHostLetsAFlagPassTheWriteBeforeIt) {
  const ByteApplication application = by_host(200).bytes();
  for (const char* part : {"host.llc.enabled=true", "host.numa.enabled=true", "host.iommu.enabled=true"})
    EXPECT_FALSE(on_f1(application, 200, {part, "host.iommu.entries=32", "host.iommu.walk_latency=1us"}).run.difference)
        << part;
}

TEST(HostMemory, WhatAKernelHasWrittenIsThereForTheHostAfterARun) {
  auto application = by_host(5);
  int seen = 0;
  const auto look = [&seen](std::span<const std::byte> image) {
    ++seen;
    std::vector<std::uint64_t> expected(kNumbers);
    for (std::size_t message = 0; message < 5; ++message) {
      fill_message(static_cast<int>(message), expected);
      EXPECT_EQ(std::memcmp(image.data() + message * (kMessageBytes + kWordBytes), expected.data(), kMessageBytes), 0);
    }
    EXPECT_EQ(image[5 * (kMessageBytes + kWordBytes)], std::byte{0}) << "nothing has been written there";
  };
  application.extras.host = HostImage{.memory = {.bytes = kSlots * (kMessageBytes + kWordBytes)}, .left = look};
  const ByteApplication bytes = application.bytes();
  on_f1(bytes, 5);
  on_threads(bytes, 5);
  EXPECT_EQ(seen, 2);
}

constexpr std::uint64_t kImageWords = 4096;
constexpr std::uint8_t kMostWords = 128;

/// Asks for all words of the image, `kMostWords` at a time, for each message that comes.
struct Asker {
  In<StreamWord> in{"in"};
  Out<PcieReadReq> loads{"loads"};
  std::uint64_t image;
  explicit Asker(std::uint64_t at) : image(at) {}
  void step() {
    in.read();
    for (std::uint64_t word = 0; word < kImageWords; word += kMostWords)
      loads.push({.num = kMostWords, .addr = image + word * kWordBytes});
  }
};

/// Adds up the first numbers of the words.
struct Adder {
  In<PcieReadResp> words{"words"};
  Out<StreamWord> out{"out"};
  void step() {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kImageWords; ++i) {
      std::uint64_t first = 0;
      std::memcpy(&first, words.read_in_place().data.bytes.data(), sizeof(first));
      sum += first;
    }
    StreamWord result{.data = {}, .last = true};
    std::memcpy(result.data.bytes.data(), &sum, sizeof(sum));
    out.push(result);
  }
};

std::uint64_t number_at(std::uint64_t word) {
  return word * word * 0x9e3779b97f4a7c15U;
}

/// Sums over an image in the host's memory; `requests` of the reader may be under way, `covering` as many as its link
/// needs.
Application<std::uint64_t, std::uint64_t> summing(int requests, bool covering = false) {
  Extras extras;
  extras.host = HostImage{
      .memory = {.bytes = kImageWords * kWordBytes, .fill = [](std::uint64_t offset, std::span<std::byte> stretch) {
                   for (std::size_t at = 0; at < stretch.size(); at += kWordBytes) {
                     const std::uint64_t value = number_at((offset + at) / kWordBytes);
                     std::memcpy(stretch.data() + at, &value, sizeof(value));
                   }
                 }}};
  return {.name = "sum",
          .summary = "sums over the host's memory",
          .input = kWordBytes / sizeof(std::uint64_t),
          .output = kWordBytes / sizeof(std::uint64_t),
          .kernel =
              [=](Kernel& kernel) {
                auto& asker = kernel.add<Asker>("asker", kernel.host_image());
                auto& adder = kernel.add<Adder>("adder");
                kernel.from_host(asker.in);
                kernel.reads_host({.name = "loads", .requests = covering ? kernel.requests_to_cover_link() : requests},
                                  asker.loads, adder.words);
                kernel.to_host(adder.out);
              },
          .fill = [](int, auto message) { std::ranges::fill(message, 0U); },
          .reference =
              [](auto, auto out) {
                std::ranges::fill(out, 0U);
                for (std::uint64_t word = 0; word < kImageWords; ++word) out[0] += number_at(word);
              },
          .extras = extras};
}

constexpr int kSums = 24;

struct Rate {
  double bytes_per_second;
  platform::Part window;
  std::string limit;
  std::vector<std::string> keys;
};

Rate rate_of(const ByteApplication& application, const std::vector<std::string>& overrides = {}) {
  const BoardRun run = on_f1(application, kSums, overrides);
  EXPECT_FALSE(run.run.difference);
  const auto window = std::ranges::find(run.parts, "loads's requests in flight", &platform::Part::name);
  if (window == run.parts.end()) throw std::runtime_error("no window");
  const auto limit = platform::bottleneck(run.parts, run.run.times.lasted);
  return {static_cast<double>(kSums * kImageWords * kWordBytes) / run.run.times.elapsed.seconds(), *window, limit.part,
          window->keys};
}

/// The paper's 2 T is a window of two (stacc V-C).
TEST(HostMemory, AKernelsReadsGoAsFastAsLittlesLawLetsTheirWindow) {
  for (const int requests : {1, 2, 4, 8}) {
    const Rate rate = rate_of(summing(0).bytes(), {"stream.requests_in_flight=" + std::to_string(requests)});
    const double law = static_cast<double>(rate.window.window->size) / rate.window.window->round_trip.seconds();
    EXPECT_NEAR(rate.bytes_per_second, law, 0.03 * law) << requests;
    EXPECT_GT(rate.window.busy.seconds(), 0.9 * rate.window.lifetime.seconds()) << requests;
    EXPECT_EQ(rate.limit, "loads's requests in flight") << requests;
    EXPECT_EQ(rate.keys.front(), "stream.requests_in_flight");
  }
}

TEST(HostMemory, AWindowThatIsLargeEnoughLeavesTheLinkAsTheLimit) {
  const Rate rate = rate_of(summing(64).bytes());
  EXPECT_EQ(rate.limit, "PCIe host to device");
  // 128 B in packets of 154 B; what else goes that way are the stream's own messages and a DLLP now and then.
  const double most = 16e9 * 128 / 130 * 128 / 154;
  EXPECT_NEAR(rate.bytes_per_second, most, 0.05 * most);
}

TEST(HostMemory, AWindowOfItsOwnIsThatOfTheActorAlone) {
  const Rate own = rate_of(summing(4).bytes(), {"stream.requests_in_flight=16"});
  const Rate boards = rate_of(summing(0).bytes(), {"stream.requests_in_flight=4"});
  EXPECT_NEAR(own.bytes_per_second, boards.bytes_per_second, 0.001 * boards.bytes_per_second);
  EXPECT_EQ(own.keys.front(), "stream.request_size");
}

TEST(HostMemory, AsManyRequestsAsCoverTheLinkLeaveNothingToGain) {
  std::vector<std::string> notes;
  const ByteApplication application = summing(0, true).bytes();
  const BoardRun run =
      run_stream(platform::load(platform::file_of("model:aws-f1"), {}),
                 {.application = application, .flow = "stream", .count = kSums, .note = [&](const std::string& text) {
                    notes.push_back(text);
                  }});
  const double covering = run.run.times.elapsed.seconds();
  const BoardRun more = on_f1(summing(64).bytes(), kSums);
  EXPECT_LT(covering, 1.02 * more.run.times.elapsed.seconds());
  const BoardRun less = on_f1(summing(12).bytes(), kSums);
  EXPECT_GT(less.run.times.elapsed.seconds(), 1.1 * more.run.times.elapsed.seconds());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), HasSubstr("reads of host memory under way: 14 of 1024 B"));
}

TEST(HostMemory, TheReplyBufferIsARequestAndWhatComesInARoundTrip) {
  const LinkReading link{.request = Bytes{1024}, .rate = Bandwidth::gb_per_second(8), .round_trip = Time::us(1)};
  EXPECT_EQ(reply_buffer(link).count, 1024 + 8000);
  EXPECT_EQ(requests_to_cover(link), 9);
  EXPECT_NEAR(rate_through(link, 2).bytes_per_second, 2048 / 1.128e-6, 1e6);
  EXPECT_EQ(rate_through(link, 9).bytes_per_second, 8e9);
}

TEST(HostMemory, AnImageIsNeededAndItsAddressesAreChecked) {
  auto none = summing(0);
  none.extras.host.reset();
  EXPECT_THAT([&] { on_f1(none.bytes(), 1); }, ThrowsMessage<Error>(HasSubstr("expected an image there")));
  auto outside = summing(0);
  outside.extras.host = HostImage{.memory = {.bytes = kImageWords * kWordBytes / 2}};
  EXPECT_THAT([&] { on_threads(outside.bytes(), 1); }, ThrowsMessage<Error>(HasSubstr("host address 0x")));
  EXPECT_THROW(on_f1(outside.bytes(), 1), Error);
}

}  // namespace
}  // namespace isthmus::program
