#include "isthmus/hpcc/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "hpcc/placement.hpp"
#include "hpcc/results.hpp"
#include "hpcc/run_conditions.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/load.hpp"

namespace isthmus::hpcc {
namespace {

constexpr int kRepetitions = 10;  // as STREAM v5.10 does

constexpr const char* kNoPhase = "-";

/// The launches of all ranks, by rank.
std::vector<Launch> launches_of(const Job& job) {
  std::string mine;
  for (const Launch& each : job.launches())
    mine += fmt::format("{} {} {} {} {} {}\n", each.metric, each.phase.empty() ? kNoPhase : each.phase, each.turn,
                        each.replication, each.span.start.nanoseconds(), each.span.end.nanoseconds());
  std::vector<Launch> all;
  int rank = 0;
  for (const std::string& text : job.ranks().gather(mine)) {
    std::istringstream words(text);
    Launch each{.rank = rank++};
    std::int64_t start = 0;
    std::int64_t end = 0;
    while (words >> each.metric >> each.phase >> each.turn >> each.replication >> start >> end) {
      each.span = {.start = Moment::ns(start), .end = Moment::ns(end)};
      if (each.phase == kNoPhase) each.phase.clear();
      all.push_back(each);
    }
  }
  return all;
}

/// The load of other processes than the ranks on the cores of a host.
std::optional<double> load_on_hosts(const LoadMeter& meter, const cluster::Ranks& ranks) {
  std::string mine;
  if (const auto use = meter.use())
    mine = fmt::format("{} {} {} {} {} {}", use->units.size(), fmt::join(use->units, " "), use->usable, use->elapsed,
                       use->busy, use->own);
  std::vector<CoreUse> uses;
  for (const std::string& text : ranks.on_this_host().gather(mine)) {
    std::istringstream words(text);
    std::size_t units = 0;
    CoreUse use;
    if (words >> units) use.units.resize(units);
    for (int& unit : use.units) words >> unit;
    if (words >> use.usable >> use.elapsed >> use.busy >> use.own) uses.push_back(std::move(use));
  }
  const double most = ranks.largest(uses.empty() ? -1 : load_of(uses));
  if (most < 0) return {};
  return most;
}

int repetitions_of(const Request& request) {
  return request.repetitions > 0 ? request.repetitions : kRepetitions;
}

std::string parameters_from(const Request& request) {
  if (!request.parameters_from.empty()) return request.parameters_from;
  if (!request.binary.empty()) return request.binary + ".json";
  return request.overrides.empty() ? "defaults" : "set";
}

/// The request as its binary was compiled, which decides on the variant of the kernels.
Request as_compiled(Request request, const SideFile& side) {
  if (!request.variant.empty() && request.variant != side.variant)
    throw Error(fmt::format("--variant {}: the binary has {} ({})", request.variant, side.variant, side.file));
  request.variant = side.variant;
  request.shape = side.shape;
  return request;
}

std::unique_ptr<Job> make_job(const Request& request, const Placement& placement, const cluster::Ranks& ranks) {
  const Entry& entry = entry_of(request.benchmark);
  Job::Parts parts{.device = placement.device, .ranks = ranks, .binary = request.binary};
  if (!request.binary.empty()) {
    parts.side_file = SideFile::beside(request.binary);
    parts.side_file->require(request.benchmark, placement.device->properties());
  }
  const Request whole = parts.side_file ? as_compiled(request, *parts.side_file) : request;
  parts.conditions = conditions_of(whole, placement.device->properties(), ranks.size());
  parts.conditions.sharers = most_of_a_host(placement.locations);
  const std::vector<ParameterSpec> specs = entry.parameters(parts.conditions);
  parts.parameters =
      Parameters(specs, parts.side_file ? parts.side_file->overrides(specs, request.overrides) : request.overrides);
  parts.grid =
      request.grid.empty() ? cluster::nearest_grid(ranks.size()) : cluster::parse_grid(request.grid, ranks.size());
  parts.scheme = request.scheme;
  parts.kernel_file = request.kernel_file;
  return std::make_unique<Job>(request.benchmark, std::move(parts));
}

void refuse_unused_kernel(const Request& request, const Job& job) {
  if (!request.kernel_file.empty() && job.kernel_file().empty())
    throw Error(fmt::format("--kernel {}: benchmark '{}' has no kernel", request.kernel_file, request.benchmark));
}

Outcome run_on(const Placement& placement, const Request& request, const cluster::Ranks& ranks,
               const Listener& listener, const LoadMeter& meter) {
  std::unique_ptr<Job> job;
  std::unique_ptr<Benchmark> benchmark;
  ranks.agree([&] {
    job = make_job(request, placement, ranks);
    if (request.seconds > 0) job->finish_repetitions();
    const Entry& entry = entry_of(request.benchmark);
    entry.needs(*job);
    benchmark = entry.make(*job);
  });
  benchmark->connect();
  ranks.agree([&] { refuse_unused_kernel(request, *job); });
  const int repetitions = repetitions_of(request);
  warm_up(*benchmark, *job);
  RepeatedRun done = request.seconds > 0 ? burn_in(*benchmark, *job, repetitions, request.seconds, listener)
                                         : measure(*benchmark, *job, repetitions, listener);
  const std::optional<double> load = load_on_hosts(meter, ranks);
  Outcome outcome{
      .results = results_of(*benchmark, done.measured, {load.value_or(0), most_sharers(placement.locations)}),
      .validation = done.worst,
      .working_set = static_cast<std::size_t>(ranks.largest(static_cast<double>(benchmark->working_set()))),
      .model = benchmark->model(),
      .conditions = job->conditions(),
      .parameters = job->parameters().all(),
      .parameters_from = parameters_from(request),
      .kernel_file = job->kernel_file(),
      .scheme = job->used_scheme(),
      .grid = job->grid(),
      .locations = placement.locations,
      .launches = launches_of(*job),
      .load = load};
  if (request.seconds > 0) outcome.burn_in = done.seen;
  outcome.shared = std::ranges::any_of(outcome.locations, &RankLocation::shared);
  if (outcome.validation.passed()) refuse_impossible(outcome.results, *benchmark, *job, done.measured);
  return outcome;
}

}  // namespace

Plan plan(const Request& request, const cluster::Ranks& ranks) {
  const Placement placement = place(request, ranks);
  std::unique_ptr<Job> job;
  Needs needs;
  ranks.agree([&] {
    job = make_job(request, placement, ranks);
    needs = entry_of(request.benchmark).needs(*job);
  });
  return {.conditions = job->conditions(),
          .parameters = job->parameters().all(),
          .parameters_from = parameters_from(request),
          .grid = job->grid(),
          .locations = placement.locations,
          .needs = {.memory = static_cast<std::size_t>(ranks.largest(static_cast<double>(needs.memory))),
                    .operations = ranks.largest(needs.operations),
                    .traffic = ranks.largest(needs.traffic)},
          .repetitions = repetitions_of(request)};
}

Outcome run(const Request& request, const cluster::Ranks& ranks, const Listener& listener) {
  const LoadMeter meter;
  const Placement placement = place(request, ranks);
  if (listener.on_locations) listener.on_locations(placement.locations);
  Outcome outcome;
  placement.device->run([&] { outcome = run_on(placement, request, ranks, listener, meter); });
  return outcome;
}

}  // namespace isthmus::hpcc
