// What the native back end is held against: oneTBB on two cores, its pipeline of filters or three threads with its
// bounded queues.
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/version.h>

#include <chrono>
#include <string>
#include <thread>

#include "engine_actors.hpp"
#include "workload.hpp"

namespace isthmus::bench {
namespace {

namespace tbb = oneapi::tbb;

template <class Work>
Measurement timed(Word tokens, const Work& work) {
  const tbb::global_control cores(tbb::global_control::max_allowed_parallelism, 2);
  Word sum = 0;
  const auto began = std::chrono::steady_clock::now();
  work(sum);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  return {.seconds = seconds.count(), .tokens = tokens, .checksum = sum, .expected = expected_sum<Word>(1, tokens)};
}

/// At most `depth` tokens under way.
template <std::size_t depth>
Measurement filters(Word tokens) {
  return timed(tokens, [tokens](Word& sum) {
    Word next = 0;
    const auto source = [&](tbb::flow_control& control) -> Word {
      if (next == tokens) {
        control.stop();
        return 0;
      }
      return next++;
    };
    const auto stage = [](Word token) {
      map(token, token);
      return token;
    };
    const auto sink = [&](Word token) { sum += token; };
    constexpr auto mode = tbb::filter_mode::serial_in_order;
    tbb::parallel_pipeline(depth, tbb::make_filter<void, Word>(mode, source) &
                                      tbb::make_filter<Word, Word>(mode, stage) &
                                      tbb::make_filter<Word, void>(mode, sink));
  });
}

template <std::size_t depth>
Measurement queues(Word tokens) {
  return timed(tokens, [tokens](Word& sum) {
    tbb::concurrent_bounded_queue<Word> first;
    tbb::concurrent_bounded_queue<Word> second;
    first.set_capacity(depth);
    second.set_capacity(depth);
    std::thread source([&] {
      for (Word i = 0; i < tokens; ++i) first.push(i);
    });
    std::thread stage([&] {
      Word token = 0;
      for (Word i = 0; i < tokens; ++i) {
        first.pop(token);
        map(token, token);
        second.push(token);
      }
    });
    Word token = 0;
    for (Word i = 0; i < tokens; ++i) {
      second.pop(token);
      sum += token;
    }
    source.join();
    stage.join();
  });
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  return run_workload(argc, argv, std::string("oneTBB ") + TBB_runtime_version(),
                      {{"pipeline3-d16", filters<16>},
                       {"pipeline3-d256", filters<256>},
                       {"pipeline3-d16-queues", queues<16>},
                       {"pipeline3-d256-queues", queues<256>}});
}
