// What the native back end is held against: two pinned threads and boost::lockfree::spsc_queue, or nothing but atomics.
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/version.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine_actors.hpp"
#include "native/barrier.hpp"
#include "native/mapping.hpp"
#include "native_work.hpp"
#include "workload.hpp"

namespace isthmus::bench {
namespace {

using native::relax;

/// Runs both on a core each, where there are two; wall seconds from when both have begun to when both have ended.
template <class First, class Second>
double on_two_cores(const First& first, const Second& second) {
  const auto cores = native::usable_cores();
  std::atomic<int> ready = 0;
  const auto begin = [&](std::size_t core) {
    native::pin_to(cores[core % cores.size()]);
    ++ready;
    while (ready.load() < 2) std::this_thread::yield();
    return std::chrono::steady_clock::now();
  };
  std::chrono::steady_clock::time_point began;
  std::thread one([&] {
    began = begin(0);
    first();
  });
  std::thread two([&] {
    begin(1);
    second();
  });
  one.join();
  two.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Tokens one at a time in, and out one at a time or (`batch`) as many as there are.
template <class Token, std::size_t depth, bool batch>
Measurement spsc(Word tokens) {
  boost::lockfree::spsc_queue<Token, boost::lockfree::capacity<depth>> queue;
  Word sum = 0;
  const auto push = [&] {
    for (Word i = 0; i < tokens; ++i) {
      Token token;
      fill(token, i);
      while (!queue.push(token)) relax();
    }
  };
  const auto pop = [&] {
    Word all = 0;
    const auto add = [&](const Token& token) { all += total(token); };
    for (Word i = 0; i < tokens;) {
      const Word got = batch ? queue.consume_all(add) : queue.consume_one(add);
      if (got == 0) relax();
      i += got;
    }
    sum = all;
  };
  const double seconds = on_two_cores(push, pop);
  return {.seconds = seconds, .tokens = tokens, .checksum = sum, .expected = expected_sum<Token>(0, tokens)};
}

/// Three threads on two cores: who waits lets another run.
template <std::size_t depth, bool batch>
Measurement spsc_pipeline(Word tokens) {
  boost::lockfree::spsc_queue<Word, boost::lockfree::capacity<depth>> first;
  boost::lockfree::spsc_queue<Word, boost::lockfree::capacity<depth>> second;
  Word sum = 0;
  const auto push = [](auto& queue, Word token) {
    while (!queue.push(token)) std::this_thread::yield();
  };
  const auto pop_all = [tokens](auto& queue, const auto& work) {
    for (Word i = 0; i < tokens;) {
      const Word got = batch ? queue.consume_all(work) : queue.consume_one(work);
      if (got == 0) std::this_thread::yield();
      i += got;
    }
  };
  const auto began = std::chrono::steady_clock::now();
  std::thread source([&] {
    for (Word i = 0; i < tokens; ++i) push(first, i);
  });
  std::thread stage([&] {
    pop_all(first, [&](Word token) {
      map(token, token);
      push(second, token);
    });
  });
  pop_all(second, [&](Word token) { sum += token; });
  source.join();
  stage.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  return {.seconds = seconds.count(), .tokens = tokens, .checksum = sum, .expected = expected_sum<Word>(1, tokens)};
}

/// 4 KiB tokens in place: one thread fills and maps, the other sums, as the native back end maps the three actors; a
/// ring in front of each stage, and nothing but a counter at each end of the one that crosses.
Measurement bare_pages(Word tokens) {
  std::vector<Page> first(kPages);
  std::vector<Page> second(kPages);
  alignas(128) std::atomic<Word> filled = 0;
  alignas(128) std::atomic<Word> freed = 0;
  Word sum = 0;
  const auto fill_and_map = [&] {
    for (Word i = 0; i < tokens; ++i) {
      fill(first[i % kPages], i);
      while (i - freed.load(std::memory_order_acquire) == kPages) relax();
      map(first[i % kPages], second[i % kPages]);
      filled.store(i + 1, std::memory_order_release);
    }
  };
  const auto sum_all = [&] {
    for (Word i = 0; i < tokens; ++i) {
      while (filled.load(std::memory_order_acquire) == i) relax();
      sum += total(second[i % kPages]);
      freed.store(i + 1, std::memory_order_release);
    }
  };
  const double seconds = on_two_cores(fill_and_map, sum_all);
  return {.seconds = seconds, .tokens = tokens, .checksum = sum, .expected = expected_sum<Page>(1, tokens)};
}

/// Two counters that say how many buffers are full and how many are free again. With `copied`, the producer has a
/// buffer of its own, and so has the consumer, as where a message is sent rather than handed over.
template <bool copied>
Measurement hand_over(Word kib) {
  const Word buffers = kib / kHandedKib + 1;
  std::vector<std::vector<std::byte>> pool(kHandedBuffers, std::vector<std::byte>(kHandedBytes));
  alignas(64) std::atomic<Word> filled = 0;
  alignas(64) std::atomic<Word> freed = 0;
  std::vector<std::byte> sent(kHandedBytes);
  std::vector<std::byte> received(kHandedBytes);
  Word sum = 0;
  const auto fill_all = [&] {
    for (Word i = 0; i < buffers; ++i) {
      while (i - freed.load(std::memory_order_acquire) == kHandedBuffers) relax();
      auto& buffer = pool[i % kHandedBuffers];
      fill_bytes(copied ? sent : buffer, buffers - i);
      if (copied) std::memcpy(buffer.data(), sent.data(), sent.size());
      filled.store(i + 1, std::memory_order_release);
    }
  };
  const auto sum_all = [&] {
    for (Word i = 0; i < buffers; ++i) {
      while (filled.load(std::memory_order_acquire) == i) relax();
      const auto& buffer = pool[i % kHandedBuffers];
      if (copied) std::memcpy(received.data(), buffer.data(), buffer.size());
      sum += sum_bytes(copied ? received : buffer);
      freed.store(i + 1, std::memory_order_release);
    }
  };
  const double seconds = on_two_cores(fill_all, sum_all);
  return {
      .seconds = seconds, .tokens = buffers * kHandedKib, .checksum = sum, .expected = expected_handed_sum(buffers)};
}

/// A number that goes to the other core and comes back.
Measurement round_trip(Word trips) {
  alignas(64) std::atomic<Word> there = 0;
  alignas(64) std::atomic<Word> back = 0;
  const auto send = [&] {
    for (Word i = 1; i <= trips; ++i) {
      there.store(i, std::memory_order_release);
      while (back.load(std::memory_order_acquire) != i) relax();
    }
  };
  const auto answer = [&] {
    for (Word i = 1; i <= trips; ++i) {
      while (there.load(std::memory_order_acquire) != i) relax();
      back.store(i, std::memory_order_release);
    }
  };
  const double seconds = on_two_cores(send, answer);
  return {.seconds = seconds, .tokens = trips, .checksum = back, .expected = trips};
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  return run_workload(argc, argv, std::string("two threads, Boost ") + BOOST_LIB_VERSION,
                      {{"spsc8-d16", spsc<Word, 16, false>},
                       {"spsc8-d16-batch", spsc<Word, 16, true>},
                       {"spsc8-d256", spsc<Word, 256, false>},
                       {"spsc8-d256-batch", spsc<Word, 256, true>},
                       {"spsc64-d256", spsc<Line, 256, false>},
                       {"spsc64-d256-batch", spsc<Line, 256, true>},
                       {"pipeline3-d16", spsc_pipeline<16, false>},
                       {"pipeline3-d16-batch", spsc_pipeline<16, true>},
                       {"pipeline3-d256", spsc_pipeline<256, false>},
                       {"pipeline3-d256-batch", spsc_pipeline<256, true>},
                       {"pipeline3-4k", bare_pages},
                       {"hand-over", hand_over<false>},
                       {"hand-over-memcpy", hand_over<true>},
                       {"round-trip", round_trip}});
}
