#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "hpcc/benchmarks.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/cluster/scheme.hpp"
#include "isthmus/hpcc/equations.hpp"

namespace isthmus::hpcc {
namespace {

constexpr std::size_t kSizes = 21;  // messages of 2^0 ... 2^20 bytes (meyer2024 4.1.1)
constexpr std::size_t kLargest = std::size_t{1} << (kSizes - 1);
// Small messages are sent so often that a repetition lasts well above the clock's grain; no size more bytes than this.
constexpr std::size_t kBytesOfASize = std::size_t{1} << 22;

enum class Direction : std::uint8_t { right, left };

/// Where a message lies in a buffer with all of them.
struct Message {
  std::size_t place;
  std::size_t bytes;
};

Message message_of(std::size_t size) {
  const std::size_t bytes = std::size_t{1} << size;
  return {.place = bytes - 1, .bytes = bytes};
}
constexpr Message kLone{.place = 2 * kLargest - 1, .bytes = 1};  // the one whose latency is measured
constexpr std::size_t kAllMessages = 2 * kLargest;

/// What `rank` sends to one side, the bytes of all messages: a pattern without a period, of its own for rank and side.
std::vector<std::byte> pattern(int rank, Direction direction) {
  std::vector<std::byte> bytes(kAllMessages);
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

/// The messages to and from one side.
class Side {
 public:
  virtual ~Side() = default;
  /// By all ranks at once.
  virtual void connect(const std::string& /*scheme*/) {}
  virtual void begin() {}
  virtual void exchange(const Message& message, int to, int from) = 0;
  /// Returns when all messages are where they belong.
  virtual void finish() {}
  virtual void end() {}
  virtual std::vector<std::byte> received() = 0;
};

class DeviceSide final : public Side {
 public:
  DeviceSide(Job& job, const std::vector<std::byte>& message)
      : job_(job), out_(job.device().buffer(kAllMessages)), in_(job.device().buffer(kAllMessages)) {
    job.queue().write(out_, 0, message);
    const std::byte nothing{0};
    job.queue().fill(in_, std::span(&nothing, 1)).wait();
  }
  void connect(const std::string& scheme) override {
    scheme_ = cluster::make_scheme(scheme, job_.device(), job_.ranks(), kLargest);
  }
  void begin() override { scheme_->begin(out_, in_); }
  void exchange(const Message& message, int to, int from) override {
    scheme_->exchange({out_, message.place, message.bytes}, to, {in_, message.place, message.bytes}, from);
  }
  void finish() override { scheme_->finish(); }
  void end() override { scheme_->end(); }
  std::vector<std::byte> received() override {
    std::vector<std::byte> bytes(kAllMessages);
    job_.queue().read(in_, 0, bytes);
    return bytes;
  }

 private:
  Job& job_;
  std::unique_ptr<cluster::Scheme> scheme_;
  offload::ComputeBuffer out_;
  offload::ComputeBuffer in_;
};

class HostSide final : public Side {
 public:
  HostSide(const cluster::Ranks& ranks, const std::vector<std::byte>& message)
      : ranks_(ranks), out_(message), in_(kAllMessages) {}
  void exchange(const Message& message, int to, int from) override {
    ranks_.exchange(std::span(out_).subspan(message.place, message.bytes), to,
                    std::span(in_).subspan(message.place, message.bytes), from);
  }
  std::vector<std::byte> received() override { return in_; }

 private:
  cluster::Ranks ranks_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

/// What the probes copy.
struct Copies {
  offload::ComputeQueue one;
  offload::ComputeQueue other;
  offload::ComputeBuffer device_out;
  offload::ComputeBuffer device_in;
  offload::PinnedMemory host_out;
  offload::PinnedMemory host_in;
};

class EffectiveBandwidth final : public Benchmark {
 public:
  explicit EffectiveBandwidth(Job& job);

  std::vector<Metric> metrics() const override;
  void connect() override;
  std::vector<double> run() override;
  std::vector<double> probe() override;
  std::string model() const override;
  Validation validate() override;

 private:
  std::size_t messages(std::size_t size) const { return std::min(messages_, kBytesOfASize >> size); }
  int right() const { return (job_.ranks().rank() + 1) % job_.ranks().size(); }
  int left() const { return (job_.ranks().rank() + job_.ranks().size() - 1) % job_.ranks().size(); }
  void exchange(std::size_t size);
  void exchange_one_by_one();
  double one_by_one(std::size_t bytes, std::size_t count);
  double at_once(std::size_t bytes, std::size_t count);
  double exchanged(std::size_t bytes, std::size_t count);
  double copied_both_ways(std::size_t bytes, std::size_t count);
  template <typename Body>
  double timed_often(std::size_t count, Body body) {
    const double seconds = job_.timed([&] {
      for (std::size_t each = 0; each < count; ++each) body();
    });
    return seconds / static_cast<double>(count);
  }

  Job& job_;
  std::string name_;
  std::size_t messages_;
  std::unique_ptr<Side> to_right_;
  std::unique_ptr<Side> to_left_;
  std::vector<std::byte> host_out_;
  std::vector<std::byte> host_in_;
  std::unique_ptr<Copies> copies_;
};

EffectiveBandwidth::EffectiveBandwidth(Job& job)
    : job_(job),
      messages_(static_cast<std::size_t>(job.parameters().integer("MESSAGES"))),
      host_out_(kLargest),
      host_in_(kLargest) {
  const auto rank = job.ranks().rank();
  if (job.scheme() == "cpu") {
    to_right_ = std::make_unique<HostSide>(job.ranks(), pattern(rank, Direction::right));
    to_left_ = std::make_unique<HostSide>(job.ranks(), pattern(rank, Direction::left));
    return;
  }
  to_right_ = std::make_unique<DeviceSide>(job, pattern(rank, Direction::right));
  to_left_ = std::make_unique<DeviceSide>(job, pattern(rank, Direction::left));
  const auto& device = job.device();
  copies_ = std::make_unique<Copies>(Copies{.one = device.copy_queue(),
                                            .other = device.copy_queue(),
                                            .device_out = device.buffer(kLargest),
                                            .device_in = device.buffer(kLargest),
                                            .host_out = device.pinned(kLargest),
                                            .host_in = device.pinned(kLargest)});
}

void EffectiveBandwidth::connect() {
  name_ = job_.choose_scheme();
  to_right_->connect(name_);
  to_left_->connect(name_);
}

/// Both directions: of each exchange the bytes sent and those received count, as equation 4.2 counts them.
std::vector<Metric> EffectiveBandwidth::metrics() const {
  std::vector<Metric> all;
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < kSizes; ++size) {
    const auto bytes = std::size_t{1} << size;
    all.push_back({.name = fmt::format("b_eff.{}B", bytes),
                   .quantity = "bandwidth",
                   .unit = "GB/s",
                   .work = static_cast<double>(2 * 2 * bytes * messages(size)) * 1e-9});
    sizes.push_back(size);
  }
  all.push_back({.name = "b_eff.latency",
                 .quantity = "latency",
                 .unit = "us",
                 .work = 1e6 / static_cast<double>(2 * messages(0))});
  all.push_back({.name = "b_eff", .quantity = "bandwidth", .unit = "GB/s", .mean_of = sizes});
  return all;
}

void EffectiveBandwidth::exchange(std::size_t size) {
  const Message message = message_of(size);
  for (std::size_t each = 0; each < messages(size); ++each) to_right_->exchange(message, right(), left());
  for (std::size_t each = 0; each < messages(size); ++each) to_left_->exchange(message, left(), right());
  to_right_->finish();
  to_left_->finish();
}

/// What a message of the least size takes from memory to memory: no other overlaps with it.
void EffectiveBandwidth::exchange_one_by_one() {
  for (std::size_t each = 0; each < messages(0); ++each) {
    to_right_->exchange(kLone, right(), left());
    to_right_->finish();
    to_left_->exchange(kLone, left(), right());
    to_left_->finish();
  }
}

std::vector<double> EffectiveBandwidth::run() {
  std::vector<double> seconds;
  // Mapping belongs to the set-up of a series of messages, as the registration of memory with a network card does.
  to_right_->begin();
  to_left_->begin();
  for (std::size_t size = 0; size < kSizes; ++size) seconds.push_back(job_.timed([&] { exchange(size); }));
  seconds.push_back(job_.timed([&] { exchange_one_by_one(); }));
  to_right_->end();
  to_left_->end();
  return seconds;
}

/// Seconds that the steps of the scheme take for a message of so many bytes, each timed by itself.
double EffectiveBandwidth::one_by_one(std::size_t bytes, std::size_t count) {
  double seconds = name_ == "shared" ? 0 : exchanged(bytes, count);
  if (name_ == "mapped") return seconds;
  const bool pageable = name_ == "staged";
  const auto out = (pageable ? std::span(host_out_) : copies_->host_out.bytes()).first(bytes);
  const auto in = (pageable ? std::span(host_in_) : copies_->host_in.bytes()).first(bytes);
  seconds += timed_often(count, [&] { copies_->one.write(copies_->device_in, 0, out); });
  return seconds + timed_often(count, [&] { copies_->one.read(copies_->device_out, 0, in); });
}

/// Those of the slowest step, where they overlap.
double EffectiveBandwidth::at_once(std::size_t bytes, std::size_t count) {
  const double copied = copied_both_ways(bytes, count);
  return name_ == "shared" ? copied : std::max(copied, exchanged(bytes, count));
}

double EffectiveBandwidth::exchanged(std::size_t bytes, std::size_t count) {
  const auto out = std::span(host_out_).first(bytes);
  const auto in = std::span(host_in_).first(bytes);
  return timed_often(count, [&] { job_.ranks().exchange(out, right(), in, left()); });
}

/// Seconds of a read and a write of pinned memory at once, the next of which start while these are on their way.
double EffectiveBandwidth::copied_both_ways(std::size_t bytes, std::size_t count) {
  constexpr std::size_t kOnTheWay = 2;  // reads, and as many writes
  std::deque<offload::ComputeEvent> copies;
  const auto wait_until_left = [&](std::size_t most) {
    for (; copies.size() > most; copies.pop_front()) copies.front().wait();
  };
  const double seconds = job_.timed([&] {
    for (std::size_t each = 0; each < count; ++each) {
      copies.push_back(copies_->one.start_read(copies_->device_out, 0, copies_->host_in.bytes().first(bytes)));
      copies_->one.flush();
      copies.push_back(copies_->other.start_write(copies_->device_in, 0, copies_->host_out.bytes().first(bytes)));
      copies_->other.flush();
      wait_until_left(2 * kOnTheWay - 1);
    }
    wait_until_left(0);
  });
  return seconds / static_cast<double>(count);
}

std::vector<double> EffectiveBandwidth::probe() {
  // MPI alone is what the others are held against.
  if (name_ == "cpu") return {};
  const bool overlaps = name_ == "shared" || name_ == "pipelined";
  std::vector<double> values;
  for (std::size_t size = 0; size < kSizes; ++size) {
    const std::size_t bytes = message_of(size).bytes;
    const double seconds = overlaps ? at_once(bytes, messages(size)) : one_by_one(bytes, messages(size));
    values.push_back(staged_bandwidth(static_cast<double>(bytes), 0, seconds, 0) * 1e-9);
  }
  values.push_back(one_by_one(kLone.bytes, messages(0)) * 1e6);  // of the latency, in us
  return values;
}

std::string EffectiveBandwidth::model() const {
  if (name_ == "staged") return "equation 4.2 with write, MPI_Sendrecv and read timed by themselves at each size";
  if (name_ == "pipelined") return "equation 4.2 with the slower of pinned copies both ways at once and MPI_Sendrecv";
  if (name_ == "shared") return "equation 4.2 with pinned copies both ways at once";
  if (name_ == "cpu") return {};
  return job_.ranks().size() == 1 ? "equation 4.2 with a copy in the host's memory alone"
                                  : "equation 4.2 with MPI_Sendrecv alone";
}

Validation EffectiveBandwidth::validate() {
  const auto wrong = [](const std::vector<std::byte>& got, const std::vector<std::byte>& expected) {
    double count = 0;
    for (std::size_t byte = 0; byte < kAllMessages; ++byte) count += got[byte] != expected[byte] ? 1 : 0;
    return count;
  };
  return {.what = "wrong bytes",
          .error = wrong(to_right_->received(), pattern(left(), Direction::right)) +
                   wrong(to_left_->received(), pattern(right(), Direction::left)),
          .limit = 0};
}

}  // namespace

std::vector<ParameterSpec> b_eff_parameters(const Setting& setting) {
  return {{.name = "MESSAGES",
           .meaning = "messages of a size in each direction, fewer of the large ones",
           .value = setting.size == Size::small ? "32" : "256",
           .most = 1 << 20,
           .at_run = true}};
}

std::unique_ptr<Benchmark> make_b_eff(Job& job) {
  return std::make_unique<EffectiveBandwidth>(job);
}

}  // namespace isthmus::hpcc
