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

/// Asks for the words of all requests that have come, as many as there are slots for, and then copies them. A core
/// works on while lines are on their way, but not while it translates an address: it looks some hundred instructions
/// ahead for the next one, so that little stands between two prefetches.
template <class Request, class Response>
struct MemoryReader {
  In<Request> requests{"requests"};
  Out<Response> words{"words"};

  explicit MemoryReader(std::span<std::byte> memory) : memory_(memory) {}

  void step() {
    read_burst(requests, [this](std::span<const Request> all) {
      hand_on(all);
      return all.size();
    });
  }

 private:
  using WordAddress = const std::byte*;
  static constexpr std::size_t kMost = kPrefetched;

  /// Words of requests, from the first on that has not been asked for.
  struct Wanted {
    const Request* request;
    const Request* end;
    int begun = 0;  ///< words of `request` that have been asked for

    bool any() const { return request != end; }
  };

  void hand_on(std::span<const Request> all) {
    Wanted wanted{.request = all.data(), .end = all.data() + all.size()};
    std::array<WordAddress, kMost> prefetched;
    while (wanted.any())
      push_burst(words, [&](std::span<Response> slots) {
        const auto prefetch = [places = prefetched.data()](std::size_t i, WordAddress word) {
          constexpr int kSecondLevel = 2;  // that cache has more lines under way than the first
          __builtin_prefetch(word, 0, kSecondLevel);
          places[i] = word;
        };
        const std::size_t count = each(wanted, std::min(slots.size(), kMost), prefetch);
        for (std::size_t i = 0; i < count; ++i) slots[i] = *reinterpret_cast<const Response*>(prefetched[i]);
        return count;
      });
  }
  /// Calls `f` with the number and the address of each word that is wanted, `most` at most, and returns how many.
  template <class F>
  std::size_t each(Wanted& wanted, std::size_t most, const F& f) const {
    std::size_t count = 0;
    while (count < most && wanted.any()) {
      count = each_single(wanted, count, most, f);
      if (count < most && wanted.any()) count = each_of_first(wanted, count, most, f);
    }
    return count;
  }
  /// Its part for requests of one word, as look-ups ask: up to the first of another number. `count` words were before.
  template <class F>
  std::size_t each_single(Wanted& wanted, std::size_t count, std::size_t most, const F& f) const {
    const std::span<std::byte> memory = memory_;
    const std::uint64_t places = memory.size() < kOneWord ? 0 : memory.size() - kOneWord + 1;
    const auto left = static_cast<std::size_t>(wanted.end - wanted.request);
    const Request* request = wanted.request;
    for (const Request* const end = request + std::min(most - count, left); request != end && request->num == 1;
         ++request) {
      if (request->addr >= places) refuse(memory, *request);
      f(count++, memory.data() + request->addr);
    }
    wanted.request = request;
    return count;
  }
  /// Its part for the first request.
  template <class F>
  std::size_t each_of_first(Wanted& wanted, std::size_t count, std::size_t most, const F& f) const {
    const Request& first = *wanted.request;
    WordAddress word = words_at(memory_, first) + static_cast<std::size_t>(wanted.begun) * kOneWord;
    for (; wanted.begun < first.num && count < most; ++wanted.begun, word += kOneWord) f(count++, word);
    if (wanted.begun == first.num) {
      wanted.begun = 0;
      ++wanted.request;
    }
    return count;
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
  constexpr double kLatency = 1e-7;             // of servers' memory; their product is what counts
  constexpr int kAtOnce = 2 * kPrefetched - 1;  // with the one that is handed on (depth_to_cover) a power of two
  return {.latency = Time::seconds(kLatency), .per_second = kAtOnce / kLatency};
}

}  // namespace isthmus::program
