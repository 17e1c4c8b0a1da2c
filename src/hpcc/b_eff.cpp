#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

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

/// Where the message of a size lies in a buffer with all sizes.
std::size_t place_of(std::size_t size) {
  return (std::size_t{1} << size) - 1;
}
constexpr std::size_t kAllSizes = 2 * kLargest - 1;

/// What `rank` sends to one side, the bytes of all sizes: a pattern without a period, of its own for rank and side.
std::vector<std::byte> pattern(int rank, Direction direction) {
  std::vector<std::byte> bytes(kAllSizes);
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
  virtual void begin() {}
  virtual void exchange(std::size_t size, int to, int from) = 0;
  virtual void end() {}
  virtual std::vector<std::byte> received() = 0;
};

class DeviceSide final : public Side {
 public:
  DeviceSide(Job& job, const std::string& scheme, const std::vector<std::byte>& message)
      : job_(job),
        scheme_(cluster::make_scheme(scheme, job.device(), job.ranks(), kLargest)),
        out_(job.device().buffer(kAllSizes)),
        in_(job.device().buffer(kAllSizes)) {
    job.queue().write(out_, 0, message);
    const std::byte nothing{0};
    job.queue().fill(in_, std::span(&nothing, 1)).wait();
  }
  void begin() override { scheme_->begin(out_, in_); }
  void exchange(std::size_t size, int to, int from) override {
    const std::size_t bytes = std::size_t{1} << size;
    scheme_->exchange({out_, place_of(size), bytes}, to, {in_, place_of(size), bytes}, from);
  }
  void end() override { scheme_->end(); }
  std::vector<std::byte> received() override {
    std::vector<std::byte> bytes(kAllSizes);
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
      : ranks_(ranks), out_(message), in_(kAllSizes) {}
  void exchange(std::size_t size, int to, int from) override {
    const std::size_t bytes = std::size_t{1} << size;
    ranks_.exchange(std::span(out_).subspan(place_of(size), bytes), to, std::span(in_).subspan(place_of(size), bytes),
                    from);
  }
  std::vector<std::byte> received() override { return in_; }

 private:
  cluster::Ranks ranks_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

std::string scheme_of(const Job& job) {
  if (!job.scheme().empty()) return job.scheme();
  if (!job.setting().optimized) return "staged";
  return job.setting().device.host_memory ? "mapped" : "pipelined";
}

class EffectiveBandwidth final : public Benchmark {
 public:
  explicit EffectiveBandwidth(Job& job);

  std::vector<Metric> metrics() const override;
  std::vector<double> run() override;
  std::vector<double> probe() override;
  std::string model() const override;
  Validation validate() override;

 private:
  std::size_t messages(std::size_t size) const { return std::min(messages_, kBytesOfASize >> size); }
  int right() const { return (job_.ranks().rank() + 1) % job_.ranks().size(); }
  int left() const { return (job_.ranks().rank() + job_.ranks().size() - 1) % job_.ranks().size(); }
  void exchange(Side& side, std::size_t size, int to, int from);
  double expected(std::size_t bytes);
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
  std::optional<offload::ComputeBuffer> spare_;
};

EffectiveBandwidth::EffectiveBandwidth(Job& job)
    : job_(job),
      name_(scheme_of(job)),
      messages_(static_cast<std::size_t>(job.parameters().integer("MESSAGES"))),
      host_out_(kLargest),
      host_in_(kLargest) {
  job.use_scheme(name_);
  const auto rank = job.ranks().rank();
  if (name_ == "cpu") {
    to_right_ = std::make_unique<HostSide>(job.ranks(), pattern(rank, Direction::right));
    to_left_ = std::make_unique<HostSide>(job.ranks(), pattern(rank, Direction::left));
    return;
  }
  to_right_ = std::make_unique<DeviceSide>(job, name_, pattern(rank, Direction::right));
  to_left_ = std::make_unique<DeviceSide>(job, name_, pattern(rank, Direction::left));
  spare_ = job.device().buffer(kLargest);
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

void EffectiveBandwidth::exchange(Side& side, std::size_t size, int to, int from) {
  for (std::size_t message = 0; message < messages(size); ++message) side.exchange(size, to, from);
}

std::vector<double> EffectiveBandwidth::run() {
  std::vector<double> seconds;
  // Mapping belongs to the set-up of a series of messages, as the registration of memory with a network card does.
  to_right_->begin();
  to_left_->begin();
  for (std::size_t size = 0; size < kSizes; ++size)
    seconds.push_back(job_.timed([&] {
      exchange(*to_right_, size, right(), left());
      exchange(*to_left_, size, left(), right());
    }));
  to_right_->end();
  to_left_->end();
  seconds.push_back(seconds.front());
  return seconds;
}

/// Bytes a second that the steps of the scheme allow at a message size, each step timed by itself.
double EffectiveBandwidth::expected(std::size_t bytes) {
  const auto count = messages(static_cast<std::size_t>(std::countr_zero(bytes)));
  const auto out = std::span(host_out_).first(bytes);
  const auto in = std::span(host_in_).first(bytes);
  const double exchanged = timed_often(count, [&] { job_.ranks().exchange(out, right(), in, left()); });
  if (name_ == "mapped") return staged_bandwidth(static_cast<double>(bytes), 0, exchanged, 0);
  const double write = timed_often(count, [&] { job_.queue().write(*spare_, 0, out); });
  const double read = timed_often(count, [&] { job_.queue().read(*spare_, 0, in); });
  if (name_ == "staged") return staged_bandwidth(static_cast<double>(bytes), write, exchanged, read);
  if (name_ == "shared") return staged_bandwidth(static_cast<double>(bytes), write, 0, read);
  return staged_bandwidth(static_cast<double>(bytes), 0, std::max({write, exchanged, read}), 0);
}

std::vector<double> EffectiveBandwidth::probe() {
  // MPI alone is what the others are held against.
  if (name_ == "cpu") return {};
  std::vector<double> rates;
  for (std::size_t size = 0; size < kSizes; ++size) rates.push_back(expected(std::size_t{1} << size) * 1e-9);
  rates.push_back(2e-3 / rates.front());  // of the latency: 2 B at that rate, in us
  return rates;
}

std::string EffectiveBandwidth::model() const {
  if (name_ == "staged") return "equation 4.2 with write, MPI_Sendrecv and read timed by themselves at each size";
  if (name_ == "pipelined") return "equation 4.2 with the slowest of write, MPI_Sendrecv and read alone";
  if (name_ == "shared") return "equation 4.2 with write and read alone";
  if (name_ == "cpu") return {};
  return job_.ranks().size() == 1 ? "equation 4.2 with a copy in the host's memory alone"
                                  : "equation 4.2 with MPI_Sendrecv alone";
}

Validation EffectiveBandwidth::validate() {
  const auto wrong = [](const std::vector<std::byte>& got, const std::vector<std::byte>& expected) {
    double count = 0;
    for (std::size_t byte = 0; byte < kAllSizes; ++byte) count += got[byte] != expected[byte] ? 1 : 0;
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
