#include "probes/streams.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "flows/stream/stream_flow.hpp"
#include "isthmus/application/application.hpp"

namespace isthmus::probes {
namespace {

using program::ByteApplication;

// Messages of a stream: enough that its pools are full for most of it, and no more of large ones.
constexpr std::int64_t kStreamed = std::int64_t{16} << 20U;
constexpr std::int64_t kFewest = 2;
constexpr std::int64_t kMost = 1024;

std::byte at(std::byte byte, std::size_t more) {
  return static_cast<std::byte>(std::to_integer<std::size_t>(byte) + more);
}

void fold(std::span<std::byte> sum, std::span<const std::byte> word) {
  for (std::size_t i = 0; i < word.size(); ++i) sum[i] = at(sum[i], std::to_integer<std::size_t>(word[i]));
}

/// Takes a message and answers with the sum of its words, byte by byte.
struct Folding {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  Word sum{};

  void step() {
    const StreamWord word = in.read();
    fold(sum.bytes, word.data.bytes);
    if (!word.last) return;
    out.push({.data = std::exchange(sum, {}), .last = true});
  }
};

/// Answers a word with a message of words that count on from it.
struct Unfolding {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  std::int64_t words;
  Word word{};
  std::int64_t left = 0;

  explicit Unfolding(std::int64_t message) : words(message / kWordBytes) {}
  void step() {
    if (left == 0) {
      word = in.read().data;
      left = words;
    }
    out.push({.data = word, .last = --left == 0});
    word.bytes[0] = at(word.bytes[0], 1);
  }
};

/// Gives back what it takes.
struct Passing {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};

  void step() { out.push(in.read()); }
};

template <class Actor, class... Arguments>
void place(program::Kernel& kernel, Arguments... arguments) {
  auto& actor = kernel.add<Actor>("probe", arguments...);
  kernel.from_host(actor.in);
  kernel.to_host(actor.out);
}

/// No word of a message is like the one before, nor like that of the message before.
void fill(int message, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = at({}, i * 7 + i / kWordBytes * 5 + static_cast<std::size_t>(message) * 31);
}

ByteApplication application(const char* name, std::int64_t input, std::int64_t output) {
  return {.name = name,
          .summary = "a probe",
          .input = static_cast<std::size_t>(input),
          .output = static_cast<std::size_t>(output),
          .fill = fill,
          .extras = {.steady = true}};
}

ByteApplication folding(std::int64_t size) {
  ByteApplication made = application("stream-in", size, kWordBytes);
  made.kernel = [](program::Kernel& kernel) { place<Folding>(kernel); };
  made.reference = [](std::span<const std::byte> in, std::span<std::byte> out) {
    std::ranges::fill(out, std::byte{});
    for (; !in.empty(); in = in.subspan(kWordBytes)) fold(out, in.first(kWordBytes));
  };
  return made;
}

ByteApplication unfolding(std::int64_t size) {
  ByteApplication made = application("stream-out", kWordBytes, size);
  made.kernel = [size](program::Kernel& kernel) { place<Unfolding>(kernel, size); };
  made.reference = [](std::span<const std::byte> in, std::span<std::byte> out) {
    for (std::size_t word = 0; word * kWordBytes < out.size(); ++word) {
      std::memcpy(&out[word * kWordBytes], in.data(), kWordBytes);
      out[word * kWordBytes] = at(in[0], word);
    }
  };
  return made;
}

ByteApplication passing(std::int64_t size) {
  ByteApplication made = application("stream-both", size, size);
  made.kernel = [](program::Kernel& kernel) { place<Passing>(kernel); };
  made.reference = [](std::span<const std::byte> in, std::span<std::byte> out) { std::ranges::copy(in, out.begin()); };
  return made;
}

using Make = ByteApplication (*)(std::int64_t size);

/// The time of a message is that of the stream over their number: the next one is on its way before one has ended.
Finding streamed(const platform::Description& board, const Job& job, Bytes size, const ByteApplication& application,
                 std::int64_t moved) {
  const auto count = static_cast<int>(std::clamp(kStreamed / size.count, kFewest, kMost));
  const program::BoardRun stream = program::run_stream(
      board, {.application = application, .flow = "stream", .count = count, .grain = job.grain, .seed = job.seed});
  const Time each = Time::fs(stream.run.times.elapsed.femtoseconds() / count);
  const double rate = static_cast<double>(moved) / each.seconds() * 1e-9;
  const auto samples = static_cast<std::size_t>(job.samples);
  return {.quantity = "bandwidth",
          .unit = "GB/s",
          .size = size,
          .parameters = {{"messages", std::int64_t{count}}},
          .samples = std::vector<double>(samples, rate),  // a model gives the same again
          .times = std::vector<Time>(samples, each),
          .verified = stream.run.right()};
}

void stream(const Job& job, const Report& report, Make make, std::int64_t ways) {
  platform::Description board = platform::load(platform::file_of(job.target), job.overrides);
  if (!job.channel.empty()) board = board.over(job.channel);
  for (const Bytes size : job.sizes)
    if (size.count % kWordBytes == 0 && size.count <= kMostStreamed)
      report(streamed(board, job, size, make(size.count), ways * size.count));
}

}  // namespace

void streams_in(const Job& job, Target&, const Report& report) {
  stream(job, report, folding, 1);
}

void streams_out(const Job& job, Target&, const Report& report) {
  stream(job, report, unfolding, 1);
}

void streams_both(const Job& job, Target&, const Report& report) {
  stream(job, report, passing, 2);
}

}  // namespace isthmus::probes
