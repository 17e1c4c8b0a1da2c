// Runs micro-benchmarks of how data crosses between host and device and prints a record for each as JSON lines.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/summary.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/probes/probe.hpp"
#include "isthmus/probes/system.hpp"
#include "tools/probe_options.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;
using tools::Record;

using Options = tools::ProbeOptions;

/// The board of a modelled target; nothing of a real device.
std::optional<platform::Description> board_of(const Options& options) {
  if (!platform::is_model(options.target)) return {};
  return platform::load(platform::file_of(options.target), options.overrides);
}

using Board = std::optional<platform::Description>;

/// Tells whether a target has what a probe needs; a real device has it, or says in its own words what it lacks.
bool served(const probes::Probe& probe, const Board& board) {
  return board ? platform::has_all(*board, probe.crosses.needs) : !probe.crosses.on_models_alone;
}

using Probes = std::vector<const probes::Probe*>;

Probes probes_that_take(std::string_view option) {
  Probes found;
  for (const probes::Probe& probe : probes::all_probes())
    if (std::ranges::find(probe.takes, option) != probe.takes.end()) found.push_back(&probe);
  return found;
}

std::string names_of(const Probes& probes) {
  std::vector<std::string_view> names;
  names.reserve(probes.size());
  for (const probes::Probe* probe : probes) names.push_back(probe->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Refuses an option of probes that the target does not serve.
void check_options(const Options& options, const Board& board) {
  for (const std::string_view option : tools::of_some_probes(options)) {
    const Probes takers = probes_that_take(option);
    if (std::ranges::any_of(takers, [&board](const probes::Probe* probe) { return served(*probe, board); })) continue;
    if (!board)
      throw Error(
          fmt::format("{}: expected a model with parts for {}, got '{}'", option, names_of(takers), options.target));
    platform::require(*board, option, takers.front()->crosses.needs);
  }
}

/// Refuses an option that none of the chosen probes takes.
void refuse_untaken(const Options& options, const Probes& chosen) {
  for (const std::string_view option : tools::of_some_probes(options)) {
    const Probes takers = probes_that_take(option);
    if (std::ranges::find_first_of(chosen, takers) == chosen.end())
      throw Error(
          fmt::format("{}: expected a probe that takes it ({}), got {}", option, names_of(takers), names_of(chosen)));
  }
}

/// Without the sizes that take part of a line of the board's cache, if the user did not choose them.
Options fitted(Options options, const Board& board) {
  const platform::Section* cache = board ? board->find("cache") : nullptr;
  if (!options.whole_lines || cache == nullptr) return options;
  std::erase_if(options.sizes, [line = cache->bytes("line")](std::int64_t size) { return size % line.count != 0; });
  return options;
}

/// The probes that the target serves; it must serve those that the user named.
Probes chosen(const Options& options, const Board& board) {
  Probes found;
  std::vector<std::string> names;
  for (const probes::Probe& probe : probes::all_probes()) {
    names.emplace_back(probe.name);
    if (options.probes.empty() && served(probe, board)) found.push_back(&probe);
  }
  for (const std::string& name : options.probes) {
    const auto probe = std::ranges::find(probes::all_probes(), name, &probes::Probe::name);
    if (probe == probes::all_probes().end()) throw Error(unknown_name("probe", name, names));
    if (board) platform::require(*board, fmt::format("probe '{}'", name), probe->crosses.needs);
    if (!board && probe->crosses.on_models_alone)
      throw Error(fmt::format("probe '{}': '{}' is a real device, and only a model can tell", name, options.target));
    found.push_back(&*probe);
  }
  if (found.empty() && board)
    throw Error(fmt::format("{}: expected a board with parts for any probe, got one of {}", board->file().string(),
                            platform::names_of(board->parts())));
  refuse_untaken(options, found);
  return found;
}

std::vector<Bytes> bytes_of(const std::vector<std::int64_t>& counts) {
  std::vector<Bytes> bytes;
  bytes.reserve(counts.size());
  for (const std::int64_t count : counts) bytes.push_back({count});
  return bytes;
}

probes::Job job_of(const Options& options) {
  return {.target = options.target,
          .overrides = options.overrides,
          .channels = options.channels,
          .starts = options.starts,
          .ports = options.ports,
          .states = options.states,
          .operations = options.operations,
          .buffers = {options.buffers.begin(), options.buffers.end()},
          .loads = {options.loads.begin(), options.loads.end()},
          .sizes = bytes_of(options.sizes),
          .bursts = bytes_of(options.bursts),
          .offset = {options.offset},
          .samples = options.repeat,
          .seed = options.seed,
          .grain = options.grain.chosen()};
}

tools::Record parameters_of(const probes::Finding& finding) {
  tools::Record parameters{{"size", finding.size.count}};
  for (const auto& [name, value] : finding.parameters)
    std::visit([&parameters, &name](const auto& each) { parameters[name] = each; }, value);
  return parameters;
}

/// The target that was probed: a device's name, or a system's, and the grain of what is modelled.
struct Probed {
  std::string name;
  std::optional<platform::Grain> grain;
};

tools::Record record_of(const Options& options, const Probed& probed, const probes::Probe& probe,
                        const probes::Finding& finding) {
  const Summary summary = summarise(finding.samples);
  tools::Record record{{"event", "record"},
                       {"name", probe.name},
                       {"quantity", finding.quantity},
                       {"unit", finding.unit},
                       {"value", summary.median},
                       {"samples", finding.samples},
                       {"spread", summary.spread},
                       {"percentiles",
                        {{"p0", summary.least},
                         {"p5", summary.p5},
                         {"p25", summary.p25},
                         {"p50", summary.median},
                         {"p75", summary.p75},
                         {"p95", summary.p95},
                         {"p99", summary.p99},
                         {"p100", summary.most}}},
                       {"kind", probed.grain ? "modelled" : "measured"},
                       {"target", options.target},
                       {"device", probed.name},
                       {"parameters", parameters_of(finding)},
                       {"version", version()}};
  if (probed.grain) record["grain"] = to_string(*probed.grain);
  for (const auto& [channel, count] : finding.requests) record["requests"][channel] = count;
  if (finding.verified) record["verified"] = *finding.verified;
  if (finding.load) record["load"] = *finding.load;
  if (finding.host_busy) record["host_busy"] = *finding.host_busy;
  if (finding.times.empty()) return record;
  std::vector<double> seconds;
  seconds.reserve(finding.times.size());
  for (const Time time : finding.times) seconds.push_back(time.seconds());
  record["time_s"] = summarise(seconds).median;
  return record;
}

/// Tells whether the target is a file of several boards.
bool is_system(const Options& options) {
  return options.target.ends_with(".toml") && platform::is_system(platform::file_of(options.target));
}

/// A probe that several boards can be asked at once; null for another.
const probes::Probe* of_systems(std::string_view name) {
  const auto found = std::ranges::find(probes::system_probes(), name, &probes::Probe::name);
  return found == probes::system_probes().end() ? nullptr : &*found;
}

/// Null where a probe looks at every size.
tools::Record sizes_of(const probes::Sizes& sizes) {
  if (sizes.multiples_of != 0) return {{"multiples_of", sizes.multiples_of}, {"most", sizes.most}};
  tools::Record own;
  for (const Bytes size : sizes.own) own.push_back(size.count);
  return own;
}

/// The facts of a probe that are known without running it.
Record description_of(const probes::Probe& probe) {
  return {{"name", probe.name},
          {"meaning", probe.meaning},
          {"crosses", probe.crosses.name},
          {"on_models_alone", probe.crosses.on_models_alone},
          {"needs", std::vector(probe.crosses.needs.begin(), probe.crosses.needs.end())},
          {"quantity", probe.latency ? "latency" : "bandwidth"},
          {"curve", probe.curve},
          {"in_study", probe.in_study},
          {"fitted", probe.calibration == probes::Calibration::fitted},
          {"compared", probe.calibration != probes::Calibration::none},
          {"sizes", sizes_of(probe.looks_at)}};
}

Record all_described() {
  Record probes = Record::array();
  for (const probes::Probe& probe : probes::all_probes()) probes.push_back(description_of(probe));
  return {{"probes", probes}};
}

/// The target as one of its links reaches it.
struct LinkTarget {
  probes::Job job;
  std::string named;  ///< name of the link, if the board has several
  probes::Target target{job};
};

void check_channels(const Options& options, const platform::Description& board) {
  const std::vector<std::string> channels = platform::ways_of(board);
  for (const std::string& channel : options.channels)
    if (std::ranges::find(channels, channel) == channels.end())
      throw Error(fmt::format("--channel: {}", unknown_name("channel", channel, channels)));
}

/// The links that a probe is asked of: those that the user named, else each that its parts are of; the target itself
/// where there is none to choose.
std::list<LinkTarget> ways_of(const Options& options, const Board& board, const probes::Probe& probe) {
  const probes::Job job = job_of(options);
  std::vector<std::string> channels;
  if (board) check_channels(options, *board);
  if (board && probe.crosses.of_a_link) {
    const bool pcie = std::ranges::find(probe.crosses.needs, "pcie") != probe.crosses.needs.end();
    channels = pcie ? platform::channels_of(*board, "pcie") : board->channels();
    for (const std::string& channel : options.channels)
      if (std::ranges::find(channels, channel) == channels.end())
        throw Error(fmt::format("--channel: {} of {}", unknown_name("channel", channel, channels), probe.name));
  }
  std::list<LinkTarget> ways;
  for (const std::string& channel : channels) {
    if (!options.channels.empty() && std::ranges::find(options.channels, channel) == options.channels.end()) continue;
    LinkTarget& way = ways.emplace_back(job, channels.size() > 1 ? channel : "");
    way.job.channel = channel;
  }
  if (ways.empty()) ways.emplace_back(job, "");
  if (!board && !options.channels.empty()) ways.front().job.channel = options.channels.front();  // refused there
  return ways;
}

/// The sizes of a probe's records, and whether all are right.
struct ProbeSummary {
  std::set<std::int64_t> sizes;
  bool right = true;  ///< whether all bytes arrived as they were sent
};

/// Runs a probe one way.
void run_over(const Options& options, const probes::Probe& probe, LinkTarget& way, ProbeSummary& told) {
  const std::string device = way.target.open().properties().name;
  probe.run(way.job, way.target, [&](probes::Finding finding) {
    if (probe.crosses.of_a_link && !way.named.empty()) finding.parameters.emplace_back("channel", way.named);
    tools::print(record_of(options, {.name = device, .grain = way.target.grain()}, probe, finding));
    told.sizes.insert(finding.size.count);
    told.right &= finding.verified.value_or(true);
  });
}

/// A size as it is written on the command line, such as 64KiB.
std::string as_typed(Bytes size) {
  constexpr std::array kUnits{"B", "KiB", "MiB"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && size.count > 0 && size.count % 1024 == 0; ++unit) size.count /= 1024;
  return fmt::format("{}{}", size.count, kUnits.at(unit));
}

/// The sizes that the user asked for and that a probe does not take are named; where none is left of the only probe
/// that was asked for, that is an error.
void tell_left_out(const Options& options, const probes::Probe& probe, const std::vector<Bytes>& sizes,
                   const std::set<std::int64_t>& reported) {
  if (probe.sizes.empty()) return;
  std::vector<std::string> left_out;
  for (const Bytes size : sizes)
    if (!reported.contains(size.count)) left_out.push_back(as_typed(size));
  if (reported.empty() && options.probes.size() == 1)
    throw Error(fmt::format("--sizes {}: nothing to tell of {}, expected {}", fmt::join(left_out, ","), probe.name,
                            probe.sizes));
  if (!left_out.empty())
    tools::print(
        {{"event", "note"},
         {"text", fmt::format("{}: left out {}; it takes {}", probe.name, fmt::join(left_out, ", "), probe.sizes)}});
}

/// Tells whether what arrived was right.
bool run_probe(const Options& options, const probes::Probe& probe, const Board& board) {
  std::list<LinkTarget> ways = ways_of(options, board, probe);
  ProbeSummary told;
  for (LinkTarget& way : ways) run_over(options, probe, way, told);
  tell_left_out(options, probe, ways.front().job.sizes, told.sizes);
  return told.right;
}

/// Options of probes that a system has not.
void refuse_options_of_one_board(const Options& options) {
  if (!options.channels.empty())
    throw Error(fmt::format("--channel {}: '{}' is a system, whose wires say which links are used",
                            fmt::join(options.channels, ","), options.target));
  if (!options.bursts.empty())
    throw Error(fmt::format("--burst {}: '{}' is a system, whose boards copy each size at once",
                            fmt::join(options.bursts, ","), options.target));
  if (options.offset != 0)
    throw Error(fmt::format("--offset {}: '{}' is a system, of which no probe looks at a device's own accesses",
                            options.offset, options.target));
}

/// The probes of a system that the user named; all if none was.
Probes chosen_of_systems(const Options& options) {
  Probes chosen;
  std::vector<std::string> known;
  for (const probes::Probe& probe : probes::system_probes()) {
    known.emplace_back(probe.name);
    if (options.probes.empty()) chosen.push_back(&probe);
  }
  for (const std::string& name : options.probes) {
    const probes::Probe* probe = of_systems(name);
    if (probe == nullptr)
      throw Error(fmt::format("probe '{}': expected one that boards of a system do at once ({}), got another", name,
                              fmt::join(known, ", ")));
    chosen.push_back(probe);
  }
  refuse_untaken(options, chosen);
  return chosen;
}

int probe_system(const Options& options) {
  const platform::System system = platform::load_system(options.target, options.overrides);
  refuse_options_of_one_board(options);
  const probes::SystemJob job{.target = options.target,
                              .overrides = options.overrides,
                              .sizes = bytes_of(options.sizes),
                              .samples = options.repeat};
  for (const probes::Probe* probe : chosen_of_systems(options))
    probes::probe_system(job, *probe, [&](const probes::Finding& finding) {
      tools::print(record_of(options, {.name = system.name(), .grain = platform::Grain::fine}, *probe, finding));
    });
  return tools::kDone;
}

/// Each size of a model is a board of its own. What the last one had is used again, in place of pages that the system
/// gives and clears anew. Not for real devices, of which allocations are measured.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

/// The names of the probes that would run.
int list(const Probes& probes) {
  Record names = Record::array();
  for (const probes::Probe* each : probes) names.push_back(each->name);
  tools::print({{"event", "probes"}, {"names", names}});
  return tools::kDone;
}

int probe(const Options& options) {
  if (options.target.empty()) throw Error("TARGET: expected a target such as model:aws-f1 or opencl:0");
  const bool system = is_system(options);
  const Board board = system ? Board{} : board_of(options);
  options.grain.check(options.target, system || board);
  if (system || board) keep_freed_memory();
  if (system) return options.list ? list(chosen_of_systems(options)) : probe_system(options);
  check_options(options, board);
  LinkTarget first{.job = job_of(options), .named = {}};
  first.target.open();  // what cannot be opened is known before a probe is looked for
  const Probes probes = chosen(options, board);
  if (options.list) return list(probes);
  const Options fitting = fitted(options, board);
  bool right = true;
  for (const probes::Probe* each : probes) right &= run_probe(fitting, *each, board);
  return right ? tools::kDone : tools::kAnswerIsNo;
}

}  // namespace

int main(int argc, char** argv) {
  return tools::run(argc, argv, all_described, [](tools::Request& request) { return probe(Options(request)); });
}
