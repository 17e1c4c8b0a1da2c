#include "program/native_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

constexpr auto kOneWord = static_cast<std::uint64_t>(kWordBytes);
/// Pages of 2 MiB, of x86 and of Arm with pages of 4 KiB.
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::size_t kFilledAtOnce = std::size_t{64} << 20U;

/// Throws Error for words that are not in memory.
std::byte* words_at(std::span<std::byte> memory, std::uint64_t address, std::uint64_t words) {
  if (address > memory.size() || words * kOneWord > memory.size() - address)
    throw Error(fmt::format("device address {:#x}: expected {} words of {} B in an image of {} B", address, words,
                            kOneWord, memory.size()));
  return memory.data() + address;
}

struct MemoryReader {
  In<DramReadReq> requests{"requests"};
  Out<DramReadResp> words{"words"};

  explicit MemoryReader(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    DramReadReq request{};
    bool asked = false;
    while (requests.pull(request)) {
      asked = true;
      const std::byte* word = words_at(memory_, request.addr, request.num);
      for (int i = 0; i < request.num; ++i, word += kOneWord) prefetch(word);
    }
    idle_ = asked ? 0 : std::min(idle_ + 1, kPatience);
    // Others have a turn first, who may ask for more: words that are handed on at once have not come yet.
    if (idle_ < kPatience) return;
    ended_ = requests.closed();
    for (; count_ > 0; --count_) hand_on();
  }
  bool done() const { return ended_ && count_ == 0; }

 private:
  static constexpr std::size_t kMost = kPrefetched;
  static constexpr int kPatience = 3;

  void prefetch(const std::byte* word) {
    __builtin_prefetch(word);
    if (count_ == kMost)
      hand_on();
    else
      ++count_;
    prefetched_[next_ % kMost] = word;
    ++next_;
  }
  /// The oldest.
  void hand_on() { words.push(*reinterpret_cast<const DramReadResp*>(prefetched_[(next_ - count_) % kMost])); }

  std::span<std::byte> memory_;
  std::array<const std::byte*, kMost> prefetched_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  int idle_ = 0;  ///< steps in which nothing was asked
  bool ended_ = false;
};

struct MemoryWriter {
  In<DramWriteApply> requests{"requests"};
  In<DramWriteData> words{"words"};

  explicit MemoryWriter(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    const DramWriteApply request = requests.read();
    std::byte* to = words_at(memory_, request.addr, request.num);
    for (int i = 0; i < request.num; ++i, to += kOneWord) std::memcpy(to, &words.read_in_place(), kOneWord);
  }

 private:
  std::span<std::byte> memory_;
};

/// Threads have no clock; their channels need a time, which means nothing there.
ChannelOptions on_threads(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

}  // namespace

void NativeMemory::Unmap::operator()(std::byte* data) const {
  munmap(data, bytes);
}

NativeMemory::NativeMemory(const MemoryImage& image)
    : size_(image.bytes), data_(nullptr, Unmap{(image.bytes + kHugePage - 1) / kHugePage * kHugePage}) {
  const std::size_t bytes = data_.get_deleter().bytes;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw Error(fmt::format("{} bytes in place of a device's memory: {}", bytes, std::strerror(errno)));
  data_.reset(static_cast<std::byte*>(mapped));
  madvise(mapped, bytes, MADV_HUGEPAGE);  // a wish: without it the same bytes take longer
  if (!image.fill) return;
  for (std::size_t at = 0; at < size_; at += kFilledAtOnce) {
    stop_if_interrupted();
    image.fill(at, this->bytes().subspan(at, std::min(kFilledAtOnce, size_ - at)));
  }
}

void NativeMemoryEnds::connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) {
  auto& reader = graph_.add<MemoryReader>(master.name, {.clock = Clock{Frequency::mhz(1)}, .group = kDeviceGroup},
                                          memory_.bytes());
  graph_.connect(requests, reader.requests, on_threads(std::max(master.fifo, kPrefetched)));
  graph_.connect(reader.words, words, on_threads(std::max(master.fifo, kPrefetched)));
}

void NativeMemoryEnds::connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) {
  auto& writer = graph_.add<MemoryWriter>(master.name, {.group = kDeviceGroup}, memory_.bytes());
  graph_.connect(requests, writer.requests, on_threads(master.fifo));
  graph_.connect(words, writer.words, on_threads(master.fifo));
}

RandomReads NativeMemoryEnds::random_reads() const {
  constexpr double kLatency = 1e-7;  // of servers' memory; their product is what counts
  return {.latency = Time::seconds(kLatency), .per_second = 4 * kPrefetched / kLatency};
}

}  // namespace isthmus::program
