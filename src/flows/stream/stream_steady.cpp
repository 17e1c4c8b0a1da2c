#include "flows/stream/stream_steady.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {
namespace {

/// Rounds of the porter that the steady stretch lasts at least: an end is seen up to one of them late, which is then
/// less than half a percent.
constexpr double kRounds = 250;
/// Messages of it, of which each half has two at least.
constexpr int kFewest = 4;
/// The share by which the paces of its halves may differ.
constexpr double kSteady = 0.005;
/// The share of their pace by which messages may fall behind.
constexpr double kBehind = 0.001;
/// The last messages of a run, which none behind them holds up.
constexpr int kUnheld = 4;

constexpr int kMost = 1 << 30;

/// No message takes less: its bytes on the link, its words through the kernel.
double least_seconds(const platform::Description& board, std::size_t message) {
  const auto bytes = static_cast<double>(message);
  const double words = std::ceil(bytes / static_cast<double>(kWordBytes));
  return std::max(bytes / fabric::raw_bandwidth(platform::link_spec(board).pcie).bytes_per_second,
                  words / board.the("kernel").frequency("clock").hertz());
}

/// The time of a round of the porter: between two looks it waits at least for an answer of each of the two queues.
Time porter_round(const platform::Description& board) {
  const Time answer = platform::link_spec(board).pcie.round_trip;
  return platform::host_link_spec(board).porter_period + answer + answer;
}

/// The line through what two streams took.
class Line {
 public:
  Line(const Lengths& lengths, int count)
      : beyond_(static_cast<double>(count - lengths.longer) / (lengths.longer - lengths.shorter)) {}

  Time at(Time shorter, Time longer) const {
    return std::max(Time(), longer + Time::seconds((longer - shorter).seconds() * beyond_));
  }
  std::int64_t at(std::int64_t shorter, std::int64_t longer) const {
    return longer + std::llround(static_cast<double>(longer - shorter) * beyond_);
  }

  /// No more was under way than there is room for, until the last output.
  platform::Window at(const platform::Window& shorter, const platform::Window& longer, Time elapsed) const {
    platform::Window window = longer;
    window.taken = at(shorter.taken, longer.taken);
    if (window.taken == 0) return window;
    const auto held = [](const platform::Window& of) {
      return static_cast<double>(of.taken) * of.round_trip.seconds();
    };
    const double all = held(longer) + (held(longer) - held(shorter)) * beyond_;
    const double most = static_cast<double>(window.size) * elapsed.seconds();
    window.round_trip = Time::seconds(std::min(all, most) / static_cast<double>(window.taken));
    return window;
  }

  /// Ends that differ in the two may leave a hair more than the whole.
  platform::Part at(const platform::Part& shorter, const platform::Part& longer, Time elapsed) const {
    platform::Part part = longer;
    part.lifetime = at(shorter.lifetime, longer.lifetime);
    part.busy = std::min(at(shorter.busy, longer.busy), part.lifetime);
    part.blocked = std::min(at(shorter.blocked, longer.blocked), part.lifetime - part.busy);
    part.starved = part.lifetime - part.busy - part.blocked;
    if (shorter.window && longer.window) part.window = at(*shorter.window, *longer.window, elapsed);
    return part;
  }

 private:
  double beyond_;  ///< length of the steady stretch, in stretches between the two runs
};

}  // namespace

Lengths steady_lengths(const platform::Description& board, const ByteApplication& application) {
  const std::size_t message = std::max(application.input, application.output);
  const HostLinkSpec spec = platform::host_link_spec(board);
  const std::int64_t buffers =
      (static_cast<std::int64_t>(message) + spec.buffer_size.count - 1) / spec.buffer_size.count;
  const std::int64_t pool = std::max(spec.input_buffers, spec.output_buffers);
  const int held = static_cast<int>((pool + buffers - 1) / buffers);
  const Time round = porter_round(board);
  const double polled = std::ceil(kRounds * round.seconds() / least_seconds(board, message));
  const int stretch = std::max({kFewest, held, static_cast<int>(std::min<double>(polled, kMost))});
  return {.shorter = 2 * held, .longer = 2 * held + stretch, .round = round};
}

bool is_steady(std::span<const Time> received, const Lengths& lengths) {
  const int middle = (lengths.shorter + lengths.longer) / 2;
  const auto end = [&received](int messages) { return received[static_cast<std::size_t>(messages) - 1].seconds(); };
  const auto pace = [&end](int from, int to) { return (end(to) - end(from)) / (to - from); };
  const double first = pace(lengths.shorter, middle);
  const double second = pace(middle, lengths.longer);
  return std::abs(second - first) <= kSteady * first + lengths.round.seconds() / (middle - lengths.shorter);
}

bool keeps_up(std::span<const Time> latencies, std::span<const Time> received, const Lengths& lengths) {
  const int half = (lengths.longer - lengths.shorter) / 2;
  const int alike = half - kUnheld;
  const auto mean = [&](int from) {
    const auto of = latencies.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(alike));
    return std::accumulate(of.begin(), of.end(), Time()).seconds() / alike;
  };
  const auto end = [&received](int message) { return received[static_cast<std::size_t>(message)].seconds(); };
  const int first = lengths.shorter;
  const double behind = mean(first + half) - mean(first);
  return std::abs(behind) <= kBehind * (end(first + half) - end(first));
}

BoardRun extend(const BoardRun& shorter, const BoardRun& longer, const Lengths& lengths, int count) {
  const Line line(lengths, count);
  BoardRun all = longer;
  FlowTimes& times = all.run.times;
  const FlowTimes& before = shorter.run.times;
  times.elapsed = line.at(before.elapsed, times.elapsed);
  times.lasted = line.at(before.lasted, times.lasted);
  for (std::size_t i = 0; i < times.stages.size(); ++i)
    times.stages[i].time = line.at(before.stages[i].time, times.stages[i].time);
  if (before.computing && times.computing) times.computing = line.at(*before.computing, *times.computing);
  const double grown = times.elapsed.seconds() / longer.run.times.elapsed.seconds();
  for (platform::Held& held : all.path) held.time = Time::seconds(held.time.seconds() * grown);
  for (std::size_t i = 0; i < all.parts.size(); ++i)
    all.parts[i] = line.at(shorter.parts[i], all.parts[i], times.elapsed);
  all.grain = Grain::coarse;
  return all;
}

}  // namespace isthmus::program
