#include "cluster/mailbox.hpp"

#include <new>
#include <thread>

#include "cluster/group.hpp"

namespace isthmus::cluster {
namespace {

// Looks at a counter before a waiting rank yields: some ten microseconds.
constexpr int kPatience = 2000;

template <typename Ready>
void wait_until(const Ready& ready, const Mailbox::Meanwhile& meanwhile) {
  for (int look = 0; look < kPatience; ++look)
    if (ready()) return;
  meanwhile();
  while (!ready()) std::this_thread::yield();
}

}  // namespace

Mailbox::Mailbox(const Ranks& ranks, offload::Device& device, std::size_t chunk)
    : ranks_(ranks),
      chunk_(whole_pages(chunk)),
      head_(whole_pages(static_cast<std::size_t>(ranks.size()) * sizeof(Channel))),
      segment_(ranks.shared_segment(head_ + kPlaces * chunk_)),
      pinned_(ranks.agreed([&] { return device.pin(segment_.whole()); })),
      received_(static_cast<std::size_t>(ranks.size())) {
  for (int to = 0; to < ranks.size(); ++to) new (&channel(ranks.rank(), to)) Channel{};
  ranks.barrier();
}

Mailbox::Channel& Mailbox::channel(int from, int to) const {
  return reinterpret_cast<Channel*>(segment_.slot(from).data())[to];
}

std::span<std::byte> Mailbox::place_of(int rank, std::size_t place) const {
  return segment_.slot(rank).subspan(head_ + place * chunk_, chunk_);
}

std::span<std::byte> Mailbox::place(const Meanwhile& meanwhile) {
  const std::size_t place = next_++ % kPlaces;
  for (const auto& [rank, count] : holders_[place]) {
    const std::atomic<std::uint64_t>& taken = channel(ranks_.rank(), rank).taken;
    wait_until([&] { return taken.load(std::memory_order_acquire) >= count; }, meanwhile);
  }
  holders_[place].clear();
  return place_of(ranks_.rank(), place);
}

void Mailbox::post(std::span<const std::byte> chunk, int to) {
  const auto place = static_cast<std::size_t>(chunk.data() - place_of(ranks_.rank(), 0).data()) / chunk_;
  Channel& way = channel(ranks_.rank(), to);
  const std::uint64_t count = way.posted.load(std::memory_order_relaxed);
  way.place[count % kPlaces] = static_cast<std::uint32_t>(place);
  holders_[place].emplace_back(to, count + 1);
  way.posted.store(count + 1, std::memory_order_release);
}

std::span<std::byte> Mailbox::await(int from, const Meanwhile& meanwhile) {
  const Channel& way = channel(from, ranks_.rank());
  const std::uint64_t count = received_[static_cast<std::size_t>(from)]++;
  wait_until([&] { return way.posted.load(std::memory_order_acquire) > count; }, meanwhile);
  return place_of(from, way.place[count % kPlaces]);
}

void Mailbox::taken(int from) {
  std::atomic<std::uint64_t>& count = channel(from, ranks_.rank()).taken;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace isthmus::cluster
