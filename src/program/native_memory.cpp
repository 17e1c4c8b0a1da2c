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

/// Words are asked for many at once, before any is handed on: a core waits for several translations of addresses at the
/// same time only where few instructions lie between them.
template <class Request, class Response>
struct MemoryReader {
  In<Request> requests{"requests"};
  Out<Response> words{"words"};

  explicit MemoryReader(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    if (ask()) {
      idle_ = 0;
      hand_on(kMost);
      return;
    }
    // Others have a turn first, who may ask for more: words that are handed on at once have not come yet.
    idle_ = std::min(idle_ + 1, kPatience);
    if (idle_ < kPatience) return;
    ended_ = requests.closed();
    hand_on(0);
  }
  bool done() const { return ended_ && asked_for_ == handed_on_; }

 private:
  static constexpr std::size_t kMost = kPrefetched;
  static constexpr std::size_t kRoom = 2 * kMost;
  static constexpr std::size_t kAtOnce = 16;
  static constexpr int kPatience = 3;

  /// Tells whether any word was asked for.
  bool ask() {
    if (left_ > 0) return prefetch(), true;
    return pull_burst(requests, [this](std::span<const Request> all) {
      std::size_t taken = 0;
      for (const std::size_t enough = asked_for_ + kAtOnce; taken < all.size() && left_ == 0 && asked_for_ < enough;) {
        word_ = words_at(memory_, all[taken]);
        left_ = all[taken++].num;
        prefetch();
      }
      return taken;
    });
  }
  /// The words of a request, as long as there is room.
  void prefetch() {
    for (; left_ > 0 && asked_for_ - handed_on_ < kRoom; --left_, word_ += kOneWord) {
      __builtin_prefetch(word_);
      prefetched_[asked_for_++ % kRoom] = word_;
    }
  }
  /// The oldest, until only `kept` are under way.
  void hand_on(std::size_t kept) {
    while (asked_for_ - handed_on_ > kept)
      push_burst(words, [this, kept](std::span<Response> slots) {
        const std::size_t count = std::min(slots.size(), asked_for_ - handed_on_ - kept);
        for (Response& slot : slots.first(count))
          slot = *reinterpret_cast<const Response*>(prefetched_[handed_on_++ % kRoom]);
        return count;
      });
  }

  std::span<std::byte> memory_;
  std::array<const std::byte*, kRoom> prefetched_{};
  std::size_t asked_for_ = 0;
  std::size_t handed_on_ = 0;
  const std::byte* word_ = nullptr;  ///< next word of the request under way
  int left_ = 0;
  int idle_ = 0;  ///< steps without a request
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
  auto& reader = graph.add<Reader>(master.name, {.clock = Clock{Frequency::mhz(1)}, .group = kDeviceGroup}, memory);
  graph.connect(requests, reader.requests, on_threads(std::max(master.fifo, kPrefetched)));
  graph.connect(reader.words, words, on_threads(std::max(master.fifo, kPrefetched)));
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
  return {.latency = Time::seconds(kLatency), .per_second = 4 * kPrefetched / kLatency};
}

}  // namespace isthmus::program
