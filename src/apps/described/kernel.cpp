#include "apps/described/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::apps::traffic {
namespace {

/// Words of several buffers as one row of them.
class Row {
 public:
  explicit Row(const std::vector<std::size_t>& bytes) {
    for (const std::size_t each : bytes) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + each / kWordBytes);
  }

  struct Place {
    fabric::DeviceAddress at;
    std::uint64_t left;  ///< words of the buffer that follow
  };
  /// `arguments` begin with the buffers.
  Place place(const std::uint64_t* arguments, std::uint64_t word) const {
    const auto end = std::ranges::upper_bound(ends_, word);
    const auto buffer = static_cast<std::size_t>(end - ends_.begin());
    fabric::DeviceAddress at = offload::address_argument(arguments[buffer]);
    at.byte += (word - (buffer == 0 ? 0 : ends_[buffer - 1])) * kWordBytes;
    return {.at = at, .left = *end - word};
  }

 private:
  std::vector<std::uint64_t> ends_;
};

/// What one kernel knows of all its launches.
struct KernelLayout {
  Work work;
  Row in;
  Row out;
  std::size_t buffers_in;
  std::size_t buffers_out;
};

/// The ports of a kernel. Either there is one, behind which memory has channels, or an address's channel is the number
/// of its port.
struct Ports {
  std::vector<fabric::AxiSpec> axi;
  bool by_channel;

  std::size_t of(const fabric::DeviceAddress& at) const { return by_channel ? at.channel : 0; }
  fabric::DeviceAddress behind(fabric::DeviceAddress at) const {
    if (by_channel) at.channel = 0;
    return at;
  }
  /// Bytes that a kernel has under way.
  std::uint64_t window() const {
    std::uint64_t most = 0;
    for (const fabric::AxiSpec& each : axi)
      most =
          std::max(most, static_cast<std::uint64_t>(each.burst.count) * static_cast<std::uint64_t>(each.outstanding));
    return most;
  }
};

class DescribedKernel : public offload::KernelPorts {
 public:
  DescribedKernel(Ports ports, const Clock& clock, std::shared_ptr<const KernelLayout> known)
      : KernelPorts(ports.axi.size()),
        ports_(std::move(ports)),
        known_(std::move(known)),
        passage_(known_->work),
        clock_(clock),
        window_(ports_.window()),
        unwritten_(ports_.axi.size(), 0) {}

  /// One launch.
  void step() {
    call_ = fabric::read_call(start);
    const auto launch =
        static_cast<std::uint64_t>(offload::number_argument(call_.arguments[known_->buffers_in + known_->buffers_out]));
    begin(launch);
    while (taken_ < known_->work.in.moves) {
      ask();
      take();
      work();
    }
    computed_ += passage_.finish();
    work();
    give();
    work();
    for (std::size_t port = 0; port < unwritten_.size(); ++port)
      for (; unwritten_[port] > 0; --unwritten_[port]) written[port].read();
    finished.push({});
  }

 private:
  void begin(std::uint64_t launch) {
    const Work& of = known_->work;
    passage_.begin(launch);
    reads_ = of.reads(launch);
    writes_ = of.writes(launch);
    in_from_ = of.in.begin(launch);
    out_from_ = of.out.begin(launch);
    asked_ = taken_ = stored_ = owed_bytes_ = 0;
    computed_ = spent_ = 0;
  }

  /// A region that finds no room waits for data to be taken, so it is not waited for.
  void ask() {
    const std::uint64_t moves = known_->work.in.moves;
    while (asked_ < moves && owed_bytes_ < window_) {
      const Row::Place place = known_->in.place(call_.arguments.data(), in_from_ + reads_.place(asked_));
      const std::size_t port = ports_.of(place.at);
      if (!regions[port].room()) return;
      const std::uint64_t words = std::min({reads_.together(asked_), place.left, moves - asked_});
      regions[port].push({.at = ports_.behind(place.at), .bytes = words * kWordBytes});
      awaited_.push_back({.port = port, .bytes = words * kWordBytes});
      asked_ += words;
      owed_bytes_ += words * kWordBytes;
    }
  }

  /// What a word makes leaves as soon as the word's share of the computation is over.
  void take() {
    Awaited& first = awaited_.front();
    const fabric::AxiBurst& burst = data[first.port].read_in_place();
    for (std::size_t at = 0; at < burst.bytes; at += kWordBytes) {
      Word word;
      std::memcpy(word.bytes.data(), burst.data.data() + at, kWordBytes);
      computed_ += passage_.take(word);
      give();
    }
    taken_ += burst.bytes / kWordBytes;
    owed_bytes_ -= burst.bytes;
    first.bytes -= burst.bytes;
    if (first.bytes == 0) awaited_.pop_front();
  }

  void give() {
    for (Word word; passage_.give(word);) {
      const fabric::DeviceAddress at = out_at(passage_.place());
      if (results_.bytes > 0 && !follows(at)) store(ports_.of(at) != ports_.of(to_));
      if (results_.bytes == 0) to_ = at;
      std::memcpy(results_.data.data() + results_.bytes, word.bytes.data(), kWordBytes);
      results_.bytes += static_cast<std::uint32_t>(kWordBytes);
      ++stored_;
      const bool last = is_last();
      if (last || results_.bytes == ports_.axi[ports_.of(to_)].first_burst(to_.byte, kFar)) store(last);
    }
  }

  fabric::DeviceAddress out_at(std::uint64_t place) const {
    return known_->out.place(call_.arguments.data() + known_->buffers_in, out_from_ + place).at;
  }

  /// Tells whether the word given last is the last of all, or of those that go through its port one after the other.
  bool is_last() const {
    if (stored_ == known_->work.out.moves) return true;
    return ports_.axi.size() > 1 && ports_.of(out_at(writes_.place(stored_))) != ports_.of(to_);
  }

  bool follows(const fabric::DeviceAddress& at) const {
    return at.channel == to_.channel && at.byte == to_.byte + results_.bytes;
  }

  void store(bool last) {
    work();
    const std::size_t port = ports_.of(to_);
    if (last && unwritten_[port]++ > 0) {
      written[port].read();
      --unwritten_[port];
    }
    const fabric::DeviceAddress at = ports_.behind(to_);
    fabric::AxiStore& made = stores[port].slot();
    made.channel = at.channel;
    made.last = last;
    made.write.address = at.byte;
    fabric::copy(results_, made.write.burst);
    results_.bytes = 0;
  }

  /// Lets the cycles pass that the launch has come to since the last time: while it computes one word a cycle leaves.
  void work() {
    const Tick now = clock_.first_at_or_after(timer_.now().femtoseconds());
    const Tick come = std::max(computed_, static_cast<Tick>(stored_));
    timer_.wait_until(Time::fs(clock_.edge(now + (come - spent_))));
    spent_ = come;
  }

  static constexpr std::uint64_t kFar = std::uint64_t{1} << 20U;  ///< more words than any burst has

  /// A region that was asked for.
  struct Awaited {
    std::size_t port;
    std::uint64_t bytes;  ///< bytes that have not come yet
  };

  Timer timer_;
  Ports ports_;
  std::shared_ptr<const KernelLayout> known_;
  Passage passage_;
  Grid clock_;
  std::uint64_t window_;  ///< bytes under way
  fabric::KernelCall call_;
  Bursts reads_{0, 0};
  Bursts writes_{0, 0};
  std::deque<Awaited> awaited_;
  std::vector<int> unwritten_;  ///< for each port, the last words whose writing is not reported yet
  std::uint64_t in_from_ = 0;
  std::uint64_t out_from_ = 0;
  std::uint64_t asked_ = 0;  ///< words requested
  std::uint64_t taken_ = 0;
  std::uint64_t stored_ = 0;
  std::uint64_t owed_bytes_ = 0;
  fabric::AxiBurst results_{};
  fabric::DeviceAddress to_{};
  Tick computed_ = 0;  ///< cycles that the launch computes
  Tick spent_ = 0;     ///< cycles that have passed
};

/// Reads and writes a message where it lies.
class DescribedPath final : public offload::Datapath {
 public:
  explicit DescribedPath(const Work& work) : work_(work), passage_(work_), reads_(work_.reads(0)) {}

  std::uint64_t onchip_bytes() const override { return 0; }
  std::uint64_t regions() const override {
    const std::uint64_t part = work_.in.end(0);
    std::uint64_t count = work_.in.moves / part * reads_.in_pass();
    while (reads_.first(count) < work_.in.moves) ++count;
    return count;
  }
  offload::Region region(std::size_t /*port*/, std::uint64_t number) const override {
    const std::uint64_t first = reads_.first(number);
    const std::uint64_t words = std::min(reads_.together(first), work_.in.moves - first);
    return {.argument = 0, .offset = reads_.place(first) * kWordBytes, .bytes = words * kWordBytes};
  }
  /// A pass over what is read again, behind the first.
  Rounds rounds() const override {
    if (work_.in.moves <= work_.in.end(0)) return {.first = 0, .length = 1};
    return {.first = reads_.in_pass(), .length = reads_.in_pass()};
  }
  offload::Region result() const override {
    return {.argument = 1, .offset = 0, .bytes = work_.out.words * kWordBytes};
  }

  void begin() override { passage_.begin(0); }
  int take(std::size_t /*port*/, const Word& word) override { return passage_.take(word); }
  bool give(Word& word) override { return passage_.give(word); }
  int finish() override { return passage_.finish(); }

 private:
  Work work_;
  Passage passage_;
  Bursts reads_;
};

/// Takes the words of a message and gives those of its output.
class DescribedStream {
 public:
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};

  DescribedStream(const Work& work, const Clock& clock) : work_(work), passage_(work_), clock_(clock) {}

  void step() {
    if (std::exchange(begins_, false)) passage_.begin(0);
    const StreamWord word = in.read();
    const Time from = timer_.now();
    owed_ += passage_.take(word.data) - 1;  // this step takes one
    if (word.last) owed_ += passage_.finish();
    begins_ = word.last;
    for (Word next; passage_.give(next);) out.push({.data = next, .last = ++given_ % work_.out.moves == 0});
    if (owed_ > 0) work(from);
  }

 private:
  /// Words leave meanwhile.
  void work(Time from) {
    const Tick begin = clock_.first_at_or_after(from.femtoseconds());
    timer_.wait_until(Time::fs(clock_.edge(begin + std::exchange(owed_, 0))));
  }

  Timer timer_;
  Work work_;
  Passage passage_;
  Grid clock_;
  Tick owed_ = 0;
  std::uint64_t given_ = 0;
  bool begins_ = true;
};

/// Behind the last step: into a register.
constexpr int kPipeline = 1;

std::shared_ptr<const KernelLayout> known_of(const Work& work, const Buffers& buffers) {
  return std::make_shared<const KernelLayout>(KernelLayout{.work = work,
                                                           .in = Row(buffers.in),
                                                           .out = Row(buffers.out),
                                                           .buffers_in = buffers.in.size(),
                                                           .buffers_out = buffers.out.size()});
}

}  // namespace

offload::KernelModel kernel_of(const Work& work, const Buffers& buffers) {
  const auto add = [known = known_of(work, buffers)](Graph& graph, const std::string& actor,
                                                     const offload::KernelSpec& spec) -> offload::KernelPorts& {
    return graph.add<DescribedKernel>(actor, {.clock = spec.clock, .group = kDeviceGroup},
                                      Ports{.axi = {spec.axi}, .by_channel = false}, spec.clock, known);
  };
  return {.name = "described", .add = add};
}

soc::AddKernel kernel_behind_ports(const Work& work, const Buffers& buffers) {
  return [known = known_of(work, buffers)](Graph& graph, const Clock& clock, std::vector<fabric::AxiSpec> ports) {
    auto& kernel = graph.add<DescribedKernel>("circuit", {.clock = clock, .group = kDeviceGroup},
                                              Ports{.axi = std::move(ports), .by_channel = true}, clock, known);
    return soc::OwnKernelEnds{.start = kernel.start,
                              .finished = kernel.finished,
                              .passes = {.regions = kernel.regions,
                                         .data = kernel.data,
                                         .stores = kernel.stores,
                                         .written = kernel.written,
                                         .actor = graph.id(kernel)}};
  };
}

offload::DatapathMaker datapath_of(const Work& work) {
  return [work] { return std::make_unique<DescribedPath>(work); };
}

void place_stream(const Work& work, program::Kernel& kernel) {
  auto& stream = kernel.add<DescribedStream>("described", work, kernel.clock());
  kernel.from_host(stream.in);
  kernel.to_host(stream.out, kPipeline);
}

}  // namespace isthmus::apps::traffic
