// Several parts of a device on one link: what each asks for and writes is what it gets and what is there, whatever the
// others do, and nobody waits for more than one request of each of them.
#include "isthmus/stream/link_users.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "fabric/quiet_ends.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/stream/kernel_link.hpp"
#include "stream/fairness.hpp"

namespace isthmus {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Clock kClock{Frequency::mhz(250)};

/// A request, and the cycles before the next.
struct Ask {
  std::uint8_t num;
  std::uint64_t addr;
  int pause;
};

Word word_of(std::uint64_t value) {
  Word word{};
  std::memcpy(word.bytes.data(), &value, sizeof(value));
  return word;
}

std::uint64_t value_of(const Word& word) {
  std::uint64_t value = 0;
  std::memcpy(&value, word.bytes.data(), sizeof(value));
  return value;
}

void pause(Timer& timer, int cycles) {
  if (cycles > 0) timer.wait_until(timer.now() + Time::ns(4 * cycles));
}

struct Asker {
  Out<PcieReadReq> requests;
  std::vector<Ask> asks;
  std::size_t next = 0;
  Timer timer;
  explicit Asker(std::vector<Ask> what) : asks(std::move(what)) {}
  void step() {
    const Ask& ask = asks[next++];
    requests.push({.num = ask.num, .addr = ask.addr});
    pause(timer, ask.pause);
  }
  bool done() const { return next == asks.size(); }
};

/// Takes words with pauses drawn from a seed.
struct Taker {
  In<PcieReadResp> words;
  std::vector<std::uint64_t> values{};
  std::mt19937_64 random;
  Timer timer;
  explicit Taker(std::uint64_t seed) : random(seed) {}
  void step() {
    values.push_back(value_of(words.read().data));
    if (random() % 16 == 0) pause(timer, static_cast<int>(random() % 64));
  }
};

/// Writes words that say their address, and hears of each write.
struct Teller {
  Out<PcieWriteApply> requests{"requests"};
  Out<PcieWriteData> data{"data"};
  std::vector<Ask> asks;
  std::size_t next = 0;
  Timer timer;
  explicit Teller(std::vector<Ask> what) : asks(std::move(what)) {}
  void step() {
    const Ask& ask = asks[next++];
    requests.push({.num = ask.num, .addr = ask.addr});
    for (std::uint64_t i = 0; i < ask.num; ++i) {
      data.push({word_of(~(ask.addr + i * kWordBytes))});
      if (i % 64 == 7) pause(timer, ask.pause);
    }
  }
  bool done() const { return next == asks.size(); }
};

struct Hearer {
  In<PcieWriteDone> written;
  std::size_t heard = 0;
  void step() {
    written.read();
    ++heard;
  }
};

constexpr std::uint64_t kRegionWords = 2048;

/// A device with any number of readers and writers, each in a region of its own of the host's memory.
class Device {
 public:
  explicit Device(const RequestSpec& requests)
      : requests_(requests),
        link_(fabric::add_pcie_link(graph_, {}, {Bandwidth::gb_per_second(68)})),
        users_(graph_, link_, kClock) {
    fabric::connect_quiet_ends(graph_, link_, kClock);
  }

  PinnedMemory::Region region() { return link_.memory.allocate({kRegionWords * kWordBytes}); }

  Taker& add_reader(const std::vector<Ask>& asks, std::uint64_t seed) {
    const std::string name = "user " + std::to_string(count_++);
    const HostReadEnds ends = add_host_reads(graph_, {.name = name, .requests = requests_, .clock = kClock}, users_);
    auto& asker = graph_.add<Asker>(name + " asks", {.clock = kClock}, asks);
    auto& taker = graph_.add<Taker>(name + " takes", {.clock = kClock}, seed);
    graph_.connect(asker.requests, ends.requests, {.depth = 4});
    graph_.connect(ends.words, taker.words, {.depth = 4});
    return taker;
  }

  Hearer& add_writer(const std::vector<Ask>& asks) {
    const std::string name = "user " + std::to_string(count_++);
    const HostWriteEnds ends = add_host_writes(graph_, {.name = name, .requests = requests_, .clock = kClock}, users_);
    auto& teller = graph_.add<Teller>(name + " tells", {.clock = kClock}, asks);
    auto& hearer = graph_.add<Hearer>(name + " hears", {.clock = kClock});
    graph_.connect(teller.requests, ends.requests, {.depth = 4});
    graph_.connect(teller.data, ends.words, {.depth = 4});
    graph_.connect(ends.written, hearer.written, {.depth = 1});
    return hearer;
  }

  void run(std::uint64_t schedule) {
    users_.connect();
    graph_.run({.schedule_seed = schedule});
  }

 private:
  RequestSpec requests_;
  Graph graph_;
  fabric::PcieLink link_;
  LinkUsers users_;
  int count_ = 0;
};

std::vector<Ask> some_asks(std::mt19937_64& random, std::uint64_t base, bool apart) {
  std::vector<Ask> asks(random() % 20 + 1);
  std::uint64_t at = 0;
  for (Ask& ask : asks) {
    ask.num = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 100 : random() % 4 + 1);
    const std::uint64_t word = apart ? at : random() % (kRegionWords - ask.num);
    at += ask.num;
    ask.addr = base + word * kWordBytes;
    ask.pause = random() % 3 == 0 ? static_cast<int>(random() % 100) : 0;
  }
  return asks;
}

struct ReadUser {
  std::vector<Ask> asks;
  const Taker* taker;
};
struct WriteUser {
  std::vector<Ask> asks;
  const Hearer* hearer;
  PinnedMemory::Region region;
};

/// A device of some users with some requests.
class Drawn {
 public:
  Drawn(std::mt19937_64& random, const RequestSpec& requests) : device_(requests) {
    const auto readers = random() % 5 + 1;
    const auto writers = random() % 5 + 1;
    for (std::uint64_t i = 0; i < readers; ++i) add_reader(random);
    for (std::uint64_t i = 0; i < writers; ++i) {
      const auto region = device_.region();
      auto asks = some_asks(random, region.addr, true);
      const Hearer& hearer = device_.add_writer(asks);
      writers_.push_back({.asks = std::move(asks), .hearer = &hearer, .region = region});
    }
  }

  void run(std::uint64_t schedule) { device_.run(schedule); }

  void expect_all_right() const {
    for (const ReadUser& user : readers_) EXPECT_EQ(user.taker->values, words_asked_for(user.asks));
    for (const WriteUser& user : writers_) expect_written(user);
  }

 private:
  void add_reader(std::mt19937_64& random) {
    const auto region = device_.region();
    for (std::uint64_t word = 0; word < kRegionWords; ++word) {
      const Word of = word_of(region.addr + word * kWordBytes);
      std::memcpy(region.bytes.data() + word * kWordBytes, of.bytes.data(), kWordBytes);
    }
    auto asks = some_asks(random, region.addr, false);
    const Taker& taker = device_.add_reader(asks, random());
    readers_.push_back({.asks = std::move(asks), .taker = &taker});
  }

  /// Each word says its address.
  static std::vector<std::uint64_t> words_asked_for(const std::vector<Ask>& asks) {
    std::vector<std::uint64_t> words;
    for (const Ask& ask : asks)
      for (std::uint64_t i = 0; i < ask.num; ++i) words.push_back(ask.addr + i * kWordBytes);
    return words;
  }

  static void expect_written(const WriteUser& user) {
    std::size_t told = 0;
    std::uint64_t at = user.region.addr;
    for (const Ask& ask : user.asks) {
      told += ask.num > 0 ? 1 : 0;
      for (std::uint64_t i = 0; i < ask.num; ++i, at += kWordBytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, user.region.bytes.data() + (at - user.region.addr), sizeof(value));
        EXPECT_EQ(value, ~at);
      }
    }
    EXPECT_EQ(user.hearer->heard, told);
  }

  Device device_;
  std::vector<ReadUser> readers_;
  std::vector<WriteUser> writers_;
};

TEST(LinkUsers, EachGetsItsWordsInItsOrderAndItsWritesArriveWhateverTheOthersDo) {
  constexpr std::uint64_t kDraws = 60;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RequestSpec requests{.size = std::int64_t{64} << random() % 7,
                               .in_flight = static_cast<int>(random() % 16 + 1),
                               .gap = static_cast<int>(random() % 5)};
    Drawn drawn(random, requests);
    drawn.run(random());
    drawn.expect_all_right();
  }
}

TEST(LinkUsers, AnAddressInsideAWordIsRefused) {
  Device reading({});
  reading.add_reader({{.num = 1, .addr = reading.region().addr + 8, .pause = 0}}, 1);
  reading.add_writer({{.num = 1, .addr = reading.region().addr, .pause = 0}});
  EXPECT_THAT([&] { reading.run(0); }, ThrowsMessage<Error>(HasSubstr("expected a multiple of 64 B")));
  Device writing({});
  writing.add_reader({{.num = 1, .addr = writing.region().addr, .pause = 0}}, 1);
  writing.add_writer({{.num = 1, .addr = writing.region().addr + 32, .pause = 0}});
  EXPECT_THAT([&] { writing.run(0); }, ThrowsMessage<Error>(HasSubstr("expected a multiple of 64 B")));
}

/// A user that asks for words as often as it may.
struct ReadClient {
  Out<PcieReadReq> reads{"reads"};
  std::uint8_t num;
  int left;
  ReadClient(std::uint8_t words, int requests) : num(words), left(requests) {}
  void step() {
    reads.push({.num = num, .addr = 0});
    --left;
  }
  bool done() const { return left == 0; }
};

struct WriteClient {
  Out<PcieWriteApply> writes{"writes"};
  Out<PcieWriteData> data{"data"};
  std::uint8_t num;
  int left;
  WriteClient(std::uint8_t words, int requests) : num(words), left(requests) {}
  void step() {
    writes.push({.num = num, .addr = 0});
    for (int i = 0; i < num; ++i) data.push({});
    --left;
  }
  bool done() const { return left == 0; }
};

struct Grants {
  In<LinkTurn> turns;
  std::vector<std::uint32_t> users{};
  void step() { users.push_back(turns.read().user); }
};

TEST(LinkUsers, OfNClientsNoneWaitsForMoreThanNMinusOneGrantsHoweverLargeTheOthersRequests) {
  constexpr int kRequests = 50;
  for (const std::uint32_t clients : {1U, 2U, 3U, 8U}) {
    Graph graph;
    auto& reads = graph.add<ReadArbiter>("reads", {.clock = kClock}, std::size_t{clients});
    auto& writes = graph.add<WriteArbiter>("writes", {.clock = kClock}, std::size_t{clients});
    for (std::uint32_t i = 0; i < clients; ++i) {
      // client 0 asks for a word at a time, beside others with more and more
      const auto words = static_cast<std::uint8_t>(1 + 16 * i);
      const std::string number = std::to_string(i);
      auto& reader = graph.add<ReadClient>("reading client " + number, {.clock = kClock}, words, kRequests);
      graph.connect(reader.reads, reads.requests[i], {.depth = kRequests});
      auto& client = graph.add<WriteClient>("writing client " + number, {.clock = kClock}, words, kRequests);
      graph.connect(client.writes, writes.requests[i], {.depth = kRequests});
      graph.connect(client.data, writes.data[i], {.depth = kRequests * 256});
    }
    graph.connect(reads.out, graph.add<Drain<PcieReadReq>>("read requests", {.clock = kClock}).in, {.depth = 2});
    graph.connect(writes.out, graph.add<Drain<PcieWriteApply>>("write requests", {.clock = kClock}).in, {.depth = 2});
    graph.connect(writes.words, graph.add<Drain<PcieWriteData>>("words", {.clock = kClock}).in, {.depth = 2});
    auto& of_reads = graph.add<Grants>("read grants", {.clock = kClock});
    auto& of_writes = graph.add<Grants>("write grants", {.clock = kClock});
    graph.connect(reads.turns, of_reads.turns, {.depth = 2});
    graph.connect(writes.turns, of_writes.turns, {.depth = 2});
    graph.run();
    expect_fair(of_reads.users, clients, kRequests);
    expect_fair(of_writes.users, clients, kRequests);
  }
}

}  // namespace
}  // namespace isthmus
