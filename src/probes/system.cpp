#include "isthmus/probes/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/offload/system.hpp"
#include "isthmus/platform/next.hpp"
#include "isthmus/probes/copy.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

using offload::ModelSystem;
using offload::SystemBoard;

constexpr Bytes kTried{std::int64_t{4} << 20U};  // the largest copy with which limits are looked for
constexpr std::size_t kPartsTried = 6;
constexpr double kLeastGain = 0.02;

/// What a probe copies: in which direction, to or from which memory of the host.
struct CopyKind {
  Direction direction;
  HostSide side;
};

/// The boards of each host, each over its wired link.
std::vector<std::vector<SystemBoard>> boards_by_node(const platform::System& system) {
  std::map<std::size_t, std::vector<std::string>> wired;
  for (const auto& wire : system.wires()) wired[wire.board].push_back(wire.channel);
  std::vector<std::vector<SystemBoard>> nodes(system.nodes().size());
  for (const auto& [place, channels] : wired) {
    const auto& board = system.boards()[place];
    if (channels.size() > 1)
      throw Error(fmt::format("{}: board '{}': expected one link with a [[wire]], got {}", system.file().string(),
                              board.name, fmt::join(channels, " and ")));
    nodes[board.node].push_back({.name = board.name, .platform = board.platform.over(channels.front())});
  }
  return nodes;
}

/// A board's end of the copies.
class CopyEnd {
 public:
  CopyEnd(offload::ModelDevice& device, const CopyKind& way, Bytes size)
      : device_(device),
        way_(way),
        buffer_(device.buffer(static_cast<std::size_t>(size.count))),
        bytes_(device, buffer_.size(), way.side == HostSide::pinned),
        queue_(device.queue()) {
    bytes_.fill();
    if (way_.side == HostSide::pageable) device.keep_staging(buffer_);
  }

  void copy(Direction direction) {
    if (direction == Direction::to_device) {
      queue_->write(buffer_, 0, bytes_.span());
      return;
    }
    bytes_.forget();
    queue_->read(buffer_, 0, bytes_.span());
  }
  void timed() {
    begin = device_.now();
    copy(way_.direction);
    end = device_.now();
  }
  void check() const { bytes_.require_filled(); }

  Moment begin;
  Moment end;

 private:
  offload::ModelDevice& device_;
  CopyKind way_;
  offload::Buffer buffer_;
  HostBytes bytes_;
  std::unique_ptr<offload::Queue> queue_;
};

/// Copies by all boards of a host at once.
class Copies {
 public:
  Copies(const std::vector<SystemBoard>& boards, const CopyKind& way, Bytes size)
      : way_(way), system_(offload::open_system(boards, {})) {
    for (std::size_t i = 0; i < system_->boards(); ++i)
      sides_.push_back(std::make_unique<CopyEnd>(system_->device(i), way, size));
    if (way.direction == Direction::to_host) all([](CopyEnd& side) { side.copy(Direction::to_device); });
  }

  /// The time from the first call to the last return.
  Time take() {
    stop_if_interrupted();
    all([](CopyEnd& side) { side.timed(); });
    Moment first = sides_.front()->begin;
    Moment last = sides_.front()->end;
    for (const auto& side : sides_) {
      first = std::min(first, side->begin);
      last = std::max(last, side->end);
    }
    return last - first;
  }
  void check() {
    if (way_.direction == Direction::to_device) all([](CopyEnd& side) { side.copy(Direction::to_host); });
    for (const auto& side : sides_) side->check();
  }
  /// In the last run: the parts of all boards with those that they share, the busiest first.
  std::vector<platform::Part> parts() {
    std::vector<platform::Part> parts;
    for (std::size_t i = 0; i < system_->boards(); ++i)
      std::ranges::copy(system_->device(i).parts(), std::back_inserter(parts));
    std::ranges::stable_sort(parts, std::greater{}, &platform::Part::busy);
    return parts;
  }

 private:
  template <class Body>
  void all(Body body) {
    std::vector<std::vector<offload::HostThread>> threads;
    threads.reserve(sides_.size());
    for (const auto& side : sides_) threads.push_back({{"probe", [&body, &side] { body(*side); }}});
    system_->run(std::move(threads));
  }

  CopyKind way_;
  std::unique_ptr<ModelSystem> system_;
  std::vector<std::unique_ptr<CopyEnd>> sides_;
};

/// A key's next faster value on a board, as --set takes it; empty where the board has no such key or value.
std::string faster(const platform::Description& board, const std::string& key) {
  for (const platform::Input& input : board.inputs()) {
    if (input.name != key) continue;
    const auto next = platform::next_values(board, input);
    if (!next.faster.empty()) return fmt::format("{}={}{}", key, next.faster.front(), input.unit);
  }
  return {};
}

/// The limit of the copies of a host's boards, found by trial.
class LimitSearch {
 public:
  LimitSearch(std::vector<SystemBoard> boards, std::vector<std::string> overrides, const CopyKind& way)
      : boards_(std::move(boards)), overrides_(std::move(overrides)), way_(way) {}

  struct Limit {
    std::string part = "none";
    std::string key{};
    double gain = kLeastGain;
  };

  /// The limit of copies of a size, which all those above `kTried` share.
  const Limit& at(Bytes size) {
    const Bytes tried = std::min(size, kTried);
    const auto known = known_.find(tried.count);
    return known != known_.end() ? known->second : known_.emplace(tried.count, find(tried)).first->second;
  }

 private:
  Limit find(Bytes size) const {
    Copies copies(boards_, way_, size);
    const Time now = copies.take();
    Limit limit;
    std::set<std::string> tried;
    for (const platform::Part& part : copies.parts()) {
      if (tried.size() == kPartsTried) break;
      const std::string key = key_of(part);
      if (key.empty() || !tried.insert(key).second) continue;
      const double gain = now.seconds() / time_with(key, size).seconds() - 1;
      if (gain > limit.gain) limit = {.part = part.name, .key = key, .gain = gain};
    }
    return limit;
  }
  /// The most direct of a part's keys that has a faster value; empty where none has.
  std::string key_of(const platform::Part& part) const {
    const auto has = [this](const std::string& key) {
      return std::ranges::any_of(boards_,
                                 [&](const SystemBoard& board) { return !faster(board.platform, key).empty(); });
    };
    const auto found = std::ranges::find_if(part.keys, has);
    return found == part.keys.end() ? std::string() : *found;
  }
  /// Measures with the key at its next value on each board that has one: boards of a host may differ.
  Time time_with(const std::string& key, Bytes size) const {
    std::vector<SystemBoard> boards = boards_;
    for (SystemBoard& board : boards) {
      const std::string setting = faster(board.platform, key);
      if (setting.empty()) continue;
      std::vector<std::string> overrides = overrides_;
      overrides.push_back(setting);
      board.platform = platform::load(board.platform.file(), overrides).over(board.platform.channels().front());
    }
    return Copies(boards, way_, size).take();
  }

  std::vector<SystemBoard> boards_;
  std::vector<std::string> overrides_;  ///< KEY=VALUE with which the boards were loaded
  CopyKind way_;
  std::map<std::int64_t, Limit> known_;
};

/// The rate of all boards of a host together; its limit is not searched for.
Finding copied(const SystemJob& job, const CopyKind& way, const std::vector<SystemBoard>& boards, Bytes size) {
  Finding finding{.quantity = "bandwidth", .unit = "GB/s", .size = size};
  Copies copies(boards, way, size);
  for (int i = 0; i < job.samples; ++i) finding.times.push_back(copies.take());
  copies.check();
  const auto moved = static_cast<double>(size.count) * static_cast<double>(boards.size());
  for (const Time time : finding.times) finding.samples.push_back(moved / time.seconds() * 1e-9);
  finding.parameters.emplace_back("boards", static_cast<std::int64_t>(boards.size()));
  return finding;
}

void probe_node(const SystemJob& job, const CopyKind& way, const platform::System& system, std::size_t node,
                const Report& report) {
  const auto boards = boards_by_node(system)[node];
  if (boards.empty()) return;
  LimitSearch search(boards, job.overrides, way);
  for (const Bytes size : job.sizes) {
    Finding finding = copied(job, way, boards, size);
    if (system.nodes().size() > 1) finding.parameters.emplace_back("node", system.nodes()[node].name);
    const auto& limit = search.at(size);
    finding.parameters.emplace_back("limit", limit.part);
    if (!limit.key.empty()) finding.parameters.emplace_back("limit_key", limit.key);
    report(finding);
  }
}

struct Named {
  std::string_view name;
  CopyKind way;
};
constexpr std::array kWays = std::to_array<Named>({
    {"h2d", {Direction::to_device, HostSide::pageable}},
    {"d2h", {Direction::to_host, HostSide::pageable}},
    {"h2d-pinned", {Direction::to_device, HostSide::pinned}},
    {"d2h-pinned", {Direction::to_host, HostSide::pinned}},
});

}  // namespace

std::span<const Probe> system_probes() {
  static const std::vector<Probe> probes = [] {
    std::vector<Probe> found;
    found.reserve(kWays.size());
    for (const Named& named : kWays) found.push_back(*std::ranges::find(all_probes(), named.name, &Probe::name));
    return found;
  }();
  return probes;
}

void probe_system(const SystemJob& job, const Probe& probe, const Report& report) {
  const platform::System system = platform::load_system(job.target, job.overrides);
  const CopyKind way = std::ranges::find(kWays, probe.name, &Named::name)->way;
  for (const auto& board : system.boards())
    platform::require(board.platform, fmt::format("probe '{}' of board '{}'", probe.name, board.name),
                      probe.crosses.needs);
  for (std::size_t node = 0; node < system.nodes().size(); ++node) probe_node(job, way, system, node, report);
}

}  // namespace isthmus::probes
