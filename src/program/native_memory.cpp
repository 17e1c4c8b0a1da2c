#include "program/native_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "program/run_threads.hpp"

namespace isthmus::program {
namespace {

constexpr auto kOneWord = static_cast<std::uint64_t>(kWordBytes);
/// Pages of 2 MiB, of x86 and of Arm with pages of 4 KiB.
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
/// Requests, or words, between memory and an actor.
constexpr int kBetween = kPrefetched / 2;
constexpr std::size_t kFilledAtOnce = std::size_t{64} << 20U;

/// The name of the memory to which a request goes, in errors.
template <class Request>
inline constexpr const char* kPlace = "device";
template <>
inline constexpr const char* kPlace<PcieReadReq> = "host";
template <>
inline constexpr const char* kPlace<PcieWriteApply> = "host";

/// Throws Error for words that are not in memory.
template <class Request>
std::byte* words_at(std::span<std::byte> memory, const Request& request) {
  const std::uint64_t words = request.num;
  if (request.addr > memory.size() || words * kOneWord > memory.size() - request.addr)
    throw Error(fmt::format("{} address {:#x}: expected {} words of {} B in an image of {} B", kPlace<Request>,
                            request.addr, words, kOneWord, memory.size()));
  return memory.data() + request.addr;
}

/// Each word that is asked for hands on the oldest that is under way: a core works on words that have come while others
/// are on their way, of which it has few at once, and waits where it asks for more.
template <class Request, class Response>
struct MemoryReader {
  In<Request> requests{"requests"};
  Out<Response> words{"words"};

  explicit MemoryReader(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    if (const auto wanted = take(); !wanted.empty()) {
      idle_ = 0;
      ask(wanted);
      return;
    }
    // Others have a turn first, who may ask for more: words that are handed on at once have not come yet.
    idle_ = std::min(idle_ + 1, kPatience);
    if (idle_ < kPatience) return;
    ended_ = requests.closed();
    hand_on_all();
  }
  bool done() const { return ended_ && asked_for_ == handed_on_; }

 private:
  using WordAddress = const std::byte*;
  static constexpr std::size_t kMost = kPrefetched;
  static constexpr std::size_t kAtOnce = 64;
  static constexpr int kPatience = 3;

  /// Words of requests that have come, as many as are asked for at once.
  std::span<const WordAddress> take() {
    std::size_t count = take_words(word_, left_, 0);
    if (count > 0) return std::span(wanted_).first(count);
    pull_burst(requests, [&](std::span<const Request> all) {
      std::size_t taken = 0;
      while (taken < all.size() && count < kAtOnce) {
        const Request& request = all[taken++];
        count = take_words(words_at(memory_, request), request.num, count);
      }
      return taken;
    });
    return std::span(wanted_).first(count);
  }
  /// Adds `left` words from `word` on to the `count` that are wanted, as far as there is room; keeps the rest.
  std::size_t take_words(WordAddress word, int left, std::size_t count) {
    for (; left > 0 && count < kAtOnce; --left, word += kOneWord) wanted_[count++] = word;
    word_ = word;
    left_ = left;
    return count;
  }
  void ask(std::span<const WordAddress> wanted) {
    const std::size_t free = std::min(wanted.size(), kMost - under_way());
    for (const WordAddress word : wanted.first(free)) prefetch(asked_for_++, word);
    wanted = wanted.subspan(free);
    while (!wanted.empty())
      push_burst(words, [&](std::span<Response> slots) {
        const std::size_t count = std::min(slots.size(), wanted.size());
        for (std::size_t i = 0; i < count; ++i) {
          slots[i] = prefetched(handed_on_ + i);
          prefetch(asked_for_ + i, wanted[i]);
        }
        handed_on_ += count;
        asked_for_ += count;
        wanted = wanted.subspan(count);
        return count;
      });
  }
  void hand_on_all() {
    while (under_way() > 0)
      push_burst(words, [this](std::span<Response> slots) {
        const std::size_t count = std::min(slots.size(), under_way());
        for (Response& slot : slots.first(count)) slot = prefetched(handed_on_++);
        return count;
      });
  }
  std::size_t under_way() const { return asked_for_ - handed_on_; }
  void prefetch(std::size_t number, WordAddress word) {
    constexpr int kSecondLevel = 2;  // that cache has more lines under way than the first
    __builtin_prefetch(word, 0, kSecondLevel);
    prefetched_[number % kMost] = word;
  }
  const Response& prefetched(std::size_t number) const {
    return *reinterpret_cast<const Response*>(prefetched_[number % kMost]);
  }

  std::span<std::byte> memory_;
  std::array<WordAddress, kMost> prefetched_{};
  std::array<WordAddress, kAtOnce> wanted_{};
  std::size_t asked_for_ = 0;
  std::size_t handed_on_ = 0;
  WordAddress word_ = nullptr;  ///< next word of the request under way
  int left_ = 0;                ///< its words that are not asked for
  int idle_ = 0;                ///< steps without a request
  bool ended_ = false;
};

template <class Request, class Data>
struct MemoryWriter {
  In<Request> requests{"requests"};
  In<Data> words{"words"};

  explicit MemoryWriter(std::span<std::byte> memory) : memory_(memory) {}

  void step() { write_next(); }

 protected:
  void write_next() {
    const Request request = requests.read();
    std::byte* to = words_at(memory_, request);
    for (int i = 0; i < request.num; ++i, to += kOneWord) std::memcpy(to, &words.read_in_place(), kOneWord);
  }

 private:
  std::span<std::byte> memory_;
};

/// One that tells of each write: what is read by who hears of it from now on is what was written.
struct TellingWriter : MemoryWriter<PcieWriteApply, PcieWriteData> {
  Out<PcieWriteDone> written{"written"};

  using MemoryWriter::MemoryWriter;

  void step() {
    write_next();
    written.push({});
  }
};

template <class Reader, class Request, class Response, class Master>
void tie_reader(Graph& graph, std::span<std::byte> memory, const Master& master, Out<Request>& requests,
                In<Response>& words) {
  auto& reader = graph.add<Reader>(master.name, {.clock = clock_on_threads(), .group = kDeviceGroup}, memory);
  graph.connect(requests, reader.requests, on_threads(std::max(master.fifo, kBetween)));
  graph.connect(reader.words, words, on_threads(std::max(master.fifo, kBetween)));
}

template <class Writer, class Request, class Data, class Master>
Writer& tie_writer(Graph& graph, std::span<std::byte> memory, const Master& master, Out<Request>& requests,
                   Out<Data>& words) {
  auto& writer = graph.add<Writer>(master.name, {.group = kDeviceGroup}, memory);
  graph.connect(requests, writer.requests, on_threads(master.fifo));
  graph.connect(words, writer.words, on_threads(master.fifo));
  return writer;
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
  tie_reader<MemoryReader<DramReadReq, DramReadResp>>(graph_, memory_.bytes(), master, requests, words);
}

void NativeMemoryEnds::connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) {
  tie_writer<MemoryWriter<DramWriteApply, DramWriteData>>(graph_, memory_.bytes(), master, requests, words);
}

void NativeHostEnds::connect(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) {
  tie_reader<MemoryReader<PcieReadReq, PcieReadResp>>(graph_, memory_.bytes(), master, requests, words);
}

void NativeHostEnds::connect(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
                             In<PcieWriteDone>& written) {
  auto& writer = tie_writer<TellingWriter>(graph_, memory_.bytes(), master, requests, words);
  graph_.connect(writer.written, written, on_threads(master.fifo));
}

RandomReads NativeMemoryEnds::random_reads() const {
  constexpr double kLatency = 1e-7;  // of servers' memory; their product is what counts
  return {.latency = Time::seconds(kLatency), .per_second = 2 * kPrefetched / kLatency};
}

}  // namespace isthmus::program
