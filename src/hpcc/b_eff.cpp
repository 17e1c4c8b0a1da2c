#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "hpcc/exchange_probe.hpp"
#include "isthmus/cluster/scheme.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

constexpr std::size_t kSizes = 21;  // messages of 2^0 ... 2^20 bytes (meyer2024 4.1.1)
constexpr std::size_t kLargest = std::size_t{1} << (kSizes - 1);
// Small messages are sent so often that a repetition lasts well above the clock's grain; no size more bytes than this.
constexpr std::size_t kBytesOfASize = std::size_t{1} << 22;

enum class Direction : std::uint8_t { right, left };

/// The place of one message, in bytes of the buffer that is sent from and of the one that receives.
struct MessageOffsets {
  std::size_t out;
  std::size_t in;
  std::size_t bytes;
};

/// The messages of one size, in the same stretch of both buffers. Each arrives a cache line behind the one before it,
/// or its own length, and is sent from as much in front of it: something of every one is left to be looked at, and is
/// nothing that another has brought.
struct Series {
  std::size_t first;
  std::size_t bytes;
  std::size_t count;

  std::size_t step() const { return std::min<std::size_t>(bytes, 64); }
  std::size_t end() const { return first + bytes + (count - 1) * step(); }
  MessageOffsets message(std::size_t index) const {
    return {.out = first + (count - 1 - index) * step(), .in = first + index * step(), .bytes = bytes};
  }
};

/// The series of all sizes, with `messages` of each but at most kBytesOfASize bytes, and the series whose latency
/// is measured.
std::vector<Series> all_series(std::size_t messages) {
  std::vector<Series> all;
  const auto add = [&](std::size_t bytes, std::size_t count) {
    all.push_back({.first = all.empty() ? 0 : all.back().end(), .bytes = bytes, .count = count});
  };
  for (std::size_t size = 0; size < kSizes; ++size)
    add(std::size_t{1} << size, std::min(messages, kBytesOfASize >> size));
  add(1, messages);
  return all;
}

/// The ways do not share a page, and lie alike in theirs.
std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

void append(std::vector<std::byte>& all, const std::vector<std::byte>& bytes) {
  all.insert(all.end(), bytes.begin(), bytes.end());
  all.resize(whole_pages(all.size()));
}

/// What `rank` sends to one side, the bytes of all messages: a pattern without a period, of its own for rank and side.
std::vector<std::byte> pattern(const std::vector<Series>& series, int rank, Direction direction) {
  std::vector<std::byte> bytes(series.back().end());
  std::uint64_t state = 2 * static_cast<std::uint64_t>(rank) + (direction == Direction::left ? 1 : 0);
  for (std::byte& each : bytes) {
    // Steele, Lea and Flood's SplitMix64.
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    each = static_cast<std::byte>(mixed >> 56U);
  }
  return bytes;
}

/// The bytes that all messages from `out` leave behind.
std::vector<std::byte> left_behind(const std::vector<Series>& series, const std::vector<std::byte>& out) {
  std::vector<std::byte> in(out.size());
  for (const Series& each : series)
    for (std::size_t index = 0; index < each.count; ++index) {
      const MessageOffsets message = each.message(index);
      std::ranges::copy(std::span(out).subspan(message.out, message.bytes),
                        in.begin() + static_cast<std::ptrdiff_t>(message.in));
    }
  return in;
}

/// The memory that the messages of both ways around the ring are sent from and received in.
class MessageEnds {
 public:
  virtual ~MessageEnds() = default;
  /// Done by all ranks at once.
  virtual void connect(const std::string& /*scheme*/) {}
  /// The bytes that messages are to change.
  virtual void reset(std::vector<std::byte> received) = 0;
  virtual void begin() {}
  virtual void exchange(const MessageOffsets& message, int to, int from) = 0;
  virtual void end() {}
  /// Returns when all messages are where they belong.
  virtual void finish() {}
  virtual std::vector<std::byte> received() = 0;
};

/// Sent from and received in one buffer, so that a scheme that maps does so once: with PoCL each command that maps or
/// unmaps wakes a thread, which takes 30 to 50 us.
class DeviceEnds final : public MessageEnds {
 public:
  DeviceEnds(Job& job, const std::vector<std::byte>& sent)
      : job_(job), half_(sent.size()), buffer_(job.device().buffer(2 * half_)) {
    job.queue().write(buffer_, 0, sent);
  }
  const offload::Buffer& buffer() const { return buffer_; }
  void connect(const std::string& scheme) override {
    scheme_ = cluster::make_scheme(scheme, job_.device(), job_.ranks(), kLargest);
  }
  void reset(std::vector<std::byte> received) override { job_.queue().write(buffer_, half_, received); }
  void begin() override { scheme_->begin(buffer_, buffer_); }
  void exchange(const MessageOffsets& message, int to, int from) override {
    scheme_->exchange({buffer_, message.out, message.bytes}, to, {buffer_, half_ + message.in, message.bytes}, from);
  }
  void end() override { scheme_->end(); }
  void finish() override { scheme_->finish(); }
  std::vector<std::byte> received() override {
    std::vector<std::byte> bytes(half_);
    job_.queue().read(buffer_, half_, bytes);
    return bytes;
  }

 private:
  Job& job_;
  std::unique_ptr<cluster::Scheme> scheme_;
  std::size_t half_;
  offload::Buffer buffer_;
};

class HostEnds final : public MessageEnds {
 public:
  HostEnds(const cluster::Ranks& ranks, std::vector<std::byte> sent)
      : ranks_(ranks), out_(std::move(sent)), in_(out_.size()) {}
  void reset(std::vector<std::byte> received) override { in_ = std::move(received); }
  void exchange(const MessageOffsets& message, int to, int from) override {
    ranks_.exchange(std::span(out_).subspan(message.out, message.bytes), to,
                    std::span(in_).subspan(message.in, message.bytes), from);
  }
  std::vector<std::byte> received() override { return in_; }

 private:
  cluster::Ranks ranks_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

/// The messages of one direction around the ring, from where those of it begin in either memory.
struct RingMessages {
  int to;
  int from;
  std::size_t first;

  MessageOffsets message(const Series& series, std::size_t index) const {
    const MessageOffsets message = series.message(index);
    return {.out = first + message.out, .in = first + message.in, .bytes = message.bytes};
  }
};

class EffectiveBandwidth final : public Benchmark {
 public:
  explicit EffectiveBandwidth(Job& job);

  std::vector<Metric> metrics() const override;
  void connect() override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return 2 * expected_.size(); }
  std::vector<double> probe() override;
  std::string model() const override { return probe_ ? probe_->model() : std::string(); }
  Validation validate() override;

 private:
  int neighbour(int distance) const {
    return (job_.ranks().rank() + distance + job_.ranks().size()) % job_.ranks().size();
  }
  void exchange(const Series& series);
  void exchange_one_by_one(const Series& series);

  Job& job_;
  std::vector<Series> series_;  // of each size, and behind them that of the latency
  std::vector<RingMessages> ways_;
  std::vector<std::byte> expected_;  // to be received, of both ways
  std::unique_ptr<MessageEnds> ends_;
  std::vector<offload::Buffer> mapped_;   // what scheme mapped maps
  std::unique_ptr<ExchangeProbe> probe_;  // MPI alone has none: it is what the others are held against
};

EffectiveBandwidth::EffectiveBandwidth(Job& job)
    : job_(job), series_(all_series(static_cast<std::size_t>(job.parameters().integer("MESSAGES")))) {
  std::vector<std::byte> sent;
  for (const Direction direction : {Direction::right, Direction::left}) {
    const int step = direction == Direction::right ? 1 : -1;
    const RingMessages& way =
        ways_.emplace_back(RingMessages{.to = neighbour(step), .from = neighbour(-step), .first = sent.size()});
    append(sent, pattern(series_, job_.ranks().rank(), direction));
    append(expected_, left_behind(series_, pattern(series_, way.from, direction)));
  }
  if (job_.scheme() == "cpu") {
    ends_ = std::make_unique<HostEnds>(job_.ranks(), std::move(sent));
    return;
  }
  auto ends = std::make_unique<DeviceEnds>(job_, sent);
  mapped_.push_back(ends->buffer());
  ends_ = std::move(ends);
}

void EffectiveBandwidth::connect() {
  const std::string scheme = job_.choose_scheme();
  ends_->connect(scheme);
  if (scheme == "cpu") return;
  auto& device = job_.device();
  job_.ranks().agree([&] {
    probe_ = std::make_unique<ExchangeProbe>(job_, scheme, device.buffer(kLargest), device.buffer(kLargest), kLargest);
  });
}

/// No byte that a message is to bring is right before it has come.
void EffectiveBandwidth::reset() {
  std::vector<std::byte> wrong = expected_;
  for (const RingMessages& way : ways_)
    for (std::byte& each : std::span(wrong).subspan(way.first, series_.back().end())) each = ~each;
  ends_->reset(std::move(wrong));
}

/// Both directions: of each exchange the bytes sent and those received count, as equation 4.2 counts them.
std::vector<Metric> EffectiveBandwidth::metrics() const {
  std::vector<Metric> all;
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < kSizes; ++size) {
    const Series& series = series_[size];
    all.push_back({.name = fmt::format("b_eff.{}B", series.bytes),
                   .quantity = "bandwidth",
                   .unit = "GB/s",
                   .work = static_cast<double>(2 * 2 * series.bytes * series.count) * 1e-9,
                   .steps = static_cast<double>(2 * series.count)});
    sizes.push_back(size);
  }
  all.push_back({.name = "b_eff.latency",
                 .quantity = "latency",
                 .unit = "us",
                 .work = 1e6 / static_cast<double>(2 * series_.back().count)});
  all.push_back({.name = "b_eff", .quantity = "bandwidth", .unit = "GB/s", .mean_of = sizes});
  return all;
}

/// Does the exchanges of a series. It includes the preparation of the scheme, such as mapping the buffer, because a
/// benchmark that computes between its exchanges pays for that each time.
void EffectiveBandwidth::exchange(const Series& series) {
  ends_->begin();
  for (const RingMessages& way : ways_)
    for (std::size_t each = 0; each < series.count; ++each)
      ends_->exchange(way.message(series, each), way.to, way.from);
  ends_->end();
  ends_->finish();
}

/// The time of a message of the least size from memory to memory: no other overlaps with it.
void EffectiveBandwidth::exchange_one_by_one(const Series& series) {
  ends_->begin();
  for (std::size_t each = 0; each < series.count; ++each)
    for (const RingMessages& way : ways_) {
      ends_->exchange(way.message(series, each), way.to, way.from);
      ends_->finish();
    }
  ends_->end();
  ends_->finish();
}

std::vector<double> EffectiveBandwidth::run() {
  std::vector<double> seconds;
  seconds.reserve(kSizes);
  for (std::size_t size = 0; size < kSizes; ++size) seconds.push_back(job_.timed([&] { exchange(series_[size]); }));
  seconds.push_back(job_.timed([&] { exchange_one_by_one(series_.back()); }));
  return seconds;
}

std::vector<double> EffectiveBandwidth::probe() {
  if (!probe_) return {};
  const double prepared = probe_->preparation(mapped_);  // once for the messages of both ways
  const auto with_preparation = [&](const Series& series, double seconds) {
    return seconds + prepared / static_cast<double>(ways_.size() * series.count);
  };
  const auto traffic = [&](const Series& series) {
    return ExchangeProbe::Traffic{
        .out_bytes = series.bytes, .to = neighbour(1), .in_bytes = series.bytes, .from = neighbour(-1)};
  };
  std::vector<double> values;
  for (std::size_t size = 0; size < kSizes; ++size) {
    const Series& series = series_[size];
    const double seconds = with_preparation(series, probe_->seconds(traffic(series), series.count));
    values.push_back(2 * static_cast<double>(series.bytes) / seconds * 1e-9);
  }
  const Series& lone = series_.back();
  values.push_back(with_preparation(lone, probe_->one_by_one(traffic(lone), lone.count)) * 1e6);  // us
  return values;
}

Validation EffectiveBandwidth::validate() {
  double wrong = 0;
  const std::vector<std::byte> got = ends_->received();
  for (std::size_t byte = 0; byte < got.size(); ++byte) wrong += got[byte] != expected_[byte] ? 1 : 0;
  return {.what = "wrong bytes", .error = wrong, .limit = 0};
}

std::vector<ParameterSpec> b_eff_parameters(const RunConditions& conditions) {
  return {{.name = "MESSAGES",
           .meaning = "messages of a size in each direction, fewer of the large ones",
           .value = conditions.size == Size::small ? "32" : "256",
           .most = 1 << 20,
           .at_run = true}};
}

Needs b_eff_needs(const Job& job) {
  const auto series = all_series(static_cast<std::size_t>(job.parameters().integer("MESSAGES")));
  double sent = 0;
  for (const Series& each : series) sent += static_cast<double>(each.bytes * each.count);
  const std::size_t buffers = job.scheme() == "cpu" ? 0 : 2 * (2 * whole_pages(series.back().end()) + kLargest);
  return {.memory = buffers, .traffic = 2 * 2 * sent};
}

}  // namespace

Entry b_eff_benchmark() {
  return {.name = "b_eff",
          .meaning = "messages of 21 sizes around a ring of devices (Meyer, 2024, equation 4.1)",
          .parameters = b_eff_parameters,
          .needs = b_eff_needs,
          .make = make<EffectiveBandwidth>,
          .exchanges = true};
}

}  // namespace isthmus::hpcc
