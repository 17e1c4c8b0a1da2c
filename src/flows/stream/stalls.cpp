#include "flows/stream/stalls.hpp"

#include <fmt/format.h>

#include "application/unclocked.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// On models the latencies count in cycles; threads need a time, which means nothing there.
constexpr ChannelOptions kWords = unclocked(64);

template <class T>
StallingEnd<T>& add_end(Graph& graph, const char* name, const Clock& clock, double probability) {
  return graph.add<StallingEnd<T>>(name, {.clock = clock, .group = kDeviceGroup}, probability);
}

constexpr const char* kToKernel = "stalls before the kernel";
constexpr const char* kFromKernel = "stalls behind the kernel";

template <class End>
std::int64_t count_of(const End* end) {
  return end != nullptr ? end->stalled() : 0;
}

}  // namespace

void die_after(const Faults& faults, int messages) {
  if (faults.die && messages >= *faults.die)
    throw Error(
        fmt::format("--faults die={}: a dead consumer, its thread ended after {} messages", *faults.die, messages));
}

StallingWords::StallingWords(Graph& graph, const Clock& clock, double probability, KernelEnds& ends) {
  if (probability <= 0) return;
  words_ = &add_end<StreamWord>(graph, kToKernel, clock, probability);
  results_ = &add_end<StreamWord>(graph, kFromKernel, clock, probability);
  graph.connect(*ends.words, words_->in, kWords);
  graph.connect(results_->out, *ends.results, kWords);
  ends.words = &words_->out;
  ends.results = &results_->in;
}

std::int64_t StallingWords::stalled() const {
  return count_of(words_) + count_of(results_);
}

void StallingNetwork::connect(In<NetPacket>& packets) {
  if (probability_ <= 0) return network_.connect(packets);
  from_ = &add_end<NetPacket>(graph_, kToKernel, clock_, probability_);
  network_.connect(from_->in);
  graph_.connect(from_->out, packets, kWords);
}

void StallingNetwork::connect(Out<NetPacket>& packets, int latency) {
  if (probability_ <= 0) return network_.connect(packets, latency);
  to_ = &add_end<NetPacket>(graph_, kFromKernel, clock_, probability_);
  ChannelOptions words = kWords;
  words.latency = latency;
  graph_.connect(packets, to_->in, words);
  network_.connect(to_->out, 1);
}

std::int64_t StallingNetwork::stalled() const {
  return count_of(from_) + count_of(to_);
}

}  // namespace isthmus::program
