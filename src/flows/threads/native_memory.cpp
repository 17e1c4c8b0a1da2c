#include "flows/threads/native_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "application/unclocked.hpp"
#include "flows/threads/run_threads.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

constexpr auto kOneWord = static_cast<std::uint64_t>(kWordBytes);
/// Pages of 2 MiB, of x86 and of Arm with pages of 4 KiB.
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
/// Requests, or words, between memory and an actor, at least: where a channel holds as many as are under way, actors
/// have fewer and longer turns.
constexpr int kBetween = kPrefetched;
constexpr std::size_t kFilledAtOnce = std::size_t{64} << 20U;

/// The name of the memory to which a request goes, in errors.
template <class Request>
inline constexpr const char* kPlace = "device";
template <>
inline constexpr const char* kPlace<PcieReadReq> = "host";
template <>
inline constexpr const char* kPlace<PcieWriteApply> = "host";

/// A function of its own, so that the look at a request stays small.
template <class Request>
[[noreturn, gnu::noinline, gnu::cold]] void refuse(std::span<std::byte> memory, const Request& request) {
  throw Error(fmt::format("{} address {:#x}: expected {} words of {} B in an image of {} B", kPlace<Request>,
                          request.addr, request.num, kOneWord, memory.size()));
}

/// Throws Error for words that are not in memory.
template <class Request>
std::byte* words_at(std::span<std::byte> memory, const Request& request) {
  const std::uint64_t bytes = std::uint64_t{request.num} * kOneWord;
  if (request.addr > memory.size() || bytes > memory.size() - request.addr) refuse(memory, request);
  return memory.data() + request.addr;
}

/// Asks for the words of the requests that have come, and then copies them. A core works on while lines are on their
/// way, but not while it translates an address: it looks some hundred instructions ahead for the next one, so that
/// little stands between two prefetches.
template <class Request, class Response>
struct MemoryReader {
  In<Request> requests{"requests"};
  Out<Response> words{"words"};

  explicit MemoryReader(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    read_burst(requests, [this](std::span<const Request> came) {
      const auto asked = came.first(ask(came));
      hand_on(asked);
      return asked.size();
    });
  }

 private:
  /// Prefetches the words of the first kPrefetched requests, of fewer where those of several words have as many words;
  /// returns the number of requests.
  std::size_t ask(std::span<const Request> came) const {
    const std::span<std::byte> memory = memory_;
    const std::uint64_t places = memory.size() < kOneWord ? 0 : memory.size() - kOneWord + 1;
    const Request* request = came.data();
    const Request* const end = request + std::min(came.size(), std::size_t{kPrefetched});
    for (int more = 0; request != end && more < kPrefetched; ++request) {
      if (request->num != 1) {
        more += ask_words(*request);
        continue;
      }
      if (request->addr >= places) refuse(memory, *request);
      prefetch(memory.data() + request->addr);
    }
    return static_cast<std::size_t>(request - came.data());
  }
  int ask_words(const Request& request) const {
    const std::byte* word = words_at(memory_, request);
    for (int i = 0; i < request.num; ++i, word += kOneWord) prefetch(word);
    return request.num;
  }
  void hand_on(std::span<const Request> asked) {
    while (!asked.empty())
      if (asked.front().num == 1) {
        asked = asked.subspan(hand_on_single(asked));
      } else {
        hand_on_words(asked.front());
        asked = asked.subspan(1);
      }
  }
  /// Its part for requests of one word, as look-ups ask, up to the first of another number; returns how many.
  std::size_t hand_on_single(std::span<const Request> asked) {
    std::size_t count = 0;
    push_burst(words, [&count, data = memory_.data(), first = asked.data(), most = asked.size()](auto slots) {
      const Request* request = first;
      const Request* const end = first + std::min(slots.size(), most);
      for (Response* slot = slots.data(); request != end && request->num == 1; ++request, ++slot)
        *slot = word_at(data + request->addr);
      return count = static_cast<std::size_t>(request - first);
    });
    return count;
  }
  void hand_on_words(const Request& request) {
    std::span left(&word_at(words_at(memory_, request)), request.num);
    while (!left.empty())
      push_burst(words, [&](std::span<Response> slots) {
        const std::size_t count = std::min(slots.size(), left.size());
        std::copy_n(left.begin(), count, slots.begin());
        left = left.subspan(count);
        return count;
      });
  }
  static const Response& word_at(const std::byte* place) { return *reinterpret_cast<const Response*>(place); }
  static void prefetch(const std::byte* word) {
    constexpr int kSecondLevel = 2;  // that cache has more lines under way than the first
    __builtin_prefetch(word, 0, kSecondLevel);
  }

  std::span<std::byte> memory_;
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

/// Sends PcieWriteDone after each write; whoever receives it reads the new data.
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
  graph.connect(requests, reader.requests, unclocked(std::max(master.fifo, kBetween)));
  graph.connect(reader.words, words, unclocked(std::max(master.fifo, kBetween)));
}

template <class Writer, class Request, class Data, class Master>
Writer& tie_writer(Graph& graph, std::span<std::byte> memory, const Master& master, Out<Request>& requests,
                   Out<Data>& words) {
  auto& writer = graph.add<Writer>(master.name, {.group = kDeviceGroup}, memory);
  graph.connect(requests, writer.requests, unclocked(master.fifo));
  graph.connect(words, writer.words, unclocked(master.fifo));
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
  graph_.connect(writer.written, written, unclocked(master.fifo));
}

RandomReads NativeMemoryEnds::random_reads() const {
  constexpr double kLatency = 1e-7;             // of servers' memory; their product is what counts
  constexpr int kAtOnce = 2 * kPrefetched - 1;  // with the one that is handed on (depth_to_cover) a power of two
  return {.latency = Time::seconds(kLatency), .per_second = kAtOnce / kLatency};
}

NativeMemories::NativeMemories(const Extras& extras) : extras_(extras) {
  if (extras.memory) device_.emplace(*extras.memory);
  if (extras.host) host_.emplace(extras.host->memory);
}

void NativeMemories::finish() {
  const auto& image = extras_.host;
  if (host_ && image && image->left) image->left(host_->bytes());
}

NativeDevices::NativeDevices(Graph& graph, NativeMemories& memories) {
  if (memories.device_) memory_.emplace(graph, *memories.device_);
  if (memories.host_) host_.emplace(graph, *memories.host_);
}

void NativeDevices::offer(KernelEnds& ends) {
  if (memory_) ends.memory = &*memory_;
  if (host_) ends.host = &*host_;
}

}  // namespace isthmus::program
