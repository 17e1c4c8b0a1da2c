// Runs one benchmark of HPC Challenge for accelerators, on one rank or under an MPI launcher, and prints its records as
// JSON lines on the first rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/hpcc/compile.hpp"
#include "isthmus/hpcc/run.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;
using tools::Record;

Record device_of(const offload::DeviceProperties& device) {
  return {{"name", device.name},
          {"platform", device.platform},
          {"vendor", device.vendor},
          {"driver", device.driver},
          {"opencl", device.version},
          {"type", device.type},
          {"pci", device.pci.empty() ? Record() : Record(device.pci)},
          {"compute_units", device.compute_units},
          {"clock_mhz", device.clock_mhz},
          {"global_memory_bytes", device.global_memory},
          {"ecc", device.ecc}};
}

Record locations_of(const std::vector<hpcc::RankLocation>& locations) {
  Record list = Record::array();
  for (const hpcc::RankLocation& location : locations)
    list.push_back({{"rank", location.rank},
                    {"host", location.host},
                    {"target", location.target},
                    {"device", location.device},
                    {"type", location.type},
                    {"pci", location.pci.empty() ? Record() : Record(location.pci)},
                    {"part", location.part},
                    {"parts", location.parts},
                    {"shared", location.shared},
                    {"cores", location.cores}});
  return list;
}

Record parameters_of(const std::vector<hpcc::ParameterSpec>& parameters) {
  Record values = Record::object();
  for (const hpcc::ParameterSpec& each : parameters) {
    if (each.kind == hpcc::ParameterKind::data_type)
      values[each.name] = each.value;
    else
      values[each.name] = std::int64_t{std::stoll(each.value)};
  }
  return values;
}

/// The record of the launches of one metric, in seconds from the first start that this rank's device saw.
Record launches_of(const std::vector<hpcc::Launch>& launches, const std::string& metric) {
  std::map<int, Moment> first;
  for (const hpcc::Launch& each : launches) {
    if (each.metric != metric) continue;
    const auto known = first.emplace(each.rank, each.span.start).first;
    known->second = std::min(known->second, each.span.start);
  }
  Record list = Record::array();
  const auto since = [](Moment start, Moment then) { return (then - start).seconds(); };
  for (const hpcc::Launch& each : launches)
    if (each.metric == metric)
      list.push_back({{"rank", each.rank},
                      {"replication", each.replication},
                      {"phase", each.phase},
                      {"step", each.turn},
                      {"start_s", since(first[each.rank], each.span.start)},
                      {"end_s", since(first[each.rank], each.span.end)}});
  return list;
}

Record finite(double value) {
  return std::isfinite(value) ? Record(value) : Record();
}

Record burn_in_of(const hpcc::BurnIn& seen) {
  return {{"seconds", seen.seconds},
          {"repetitions", seen.repetitions},
          {"wrong_rounds", seen.wrong},
          {"cut_short", seen.cut_short},
          {"ends_s", seen.ends}};
}

Record record_of(const hpcc::Request& request, const hpcc::Outcome& run, const hpcc::Result& result) {
  const hpcc::Metric& metric = result.metric;
  Record record{{"event", "record"},
                {"name", metric.name},
                {"benchmark", request.benchmark},
                {"quantity", metric.quantity},
                {"unit", metric.unit},
                {"value", result.value},
                {"samples", result.samples},
                {"median", result.median},
                {"spread", result.spread},
                {"seconds", result.seconds},
                {"across", metric.total ? "total" : "average"},
                {"kind", "measured"},
                {"validated", run.validation.passed()},
                {"error", finite(run.validation.error)},
                {"error_limit", run.validation.limit},
                {"error_is", run.validation.what},
                {"run", request.optimized ? "optimized" : "base"},
                {"target", request.target},
                {"device", run.conditions.device.name}};
  if (run.load) record["load"] = *run.load;
  record["expected"] = result.expected ? Record(result.expected->value) : Record();
  record["expected_spread"] = result.expected ? Record(result.expected->spread) : Record();
  record["expected_from"] = run.model;
  const auto efficiency = result.efficiency();
  const auto expected_seconds = result.expected_seconds();
  record["expected_s"] = expected_seconds ? Record(*expected_seconds) : Record();
  record["judged"] = result.judged();
  record["efficiency"] = efficiency ? Record(*efficiency) : Record();
  record["variant"] = run.conditions.variant == hpcc::Variant::single ? "single" : "ndrange";
  record["kernel"] = run.kernel_file;
  record["size"] = request.size;
  record["parameters"] = parameters_of(run.parameters);
  record["parameters_from"] = run.parameters_from;
  record["ranks"] = run.conditions.ranks;
  record["grid"] = fmt::format("{}x{}", run.grid.rows, run.grid.columns);
  record["scheme"] = run.scheme;
  record["shared"] = run.shared;
  record["places"] = locations_of(run.locations);
  record["launches"] = launches_of(run.launches, metric.name);
  record["working_set_bytes"] = run.working_set;
  record["cache_bytes"] = run.conditions.device.cache > 0 ? Record(run.conditions.device.cache) : Record();
  record["device_info"] = device_of(run.conditions.device);
  record["burn_in"] = run.burn_in ? burn_in_of(*run.burn_in) : Record();
  record["version"] = version();
  return record;
}

Record all_described() {
  Record benchmarks = Record::array();
  for (const hpcc::Entry& entry : hpcc::all_benchmarks())
    benchmarks.push_back({{"name", entry.name}, {"meaning", entry.meaning}});
  return {{"benchmarks", benchmarks}};
}

const char* kind_of(hpcc::ParameterKind kind) {
  if (kind == hpcc::ParameterKind::data_type) return "data_type";
  return kind == hpcc::ParameterKind::power_of_two ? "power_of_two" : "positive";
}

void print_compilation(const hpcc::Request& request, const hpcc::Compilation& made) {
  Record parameters = Record::array();
  for (const hpcc::ParameterSpec& each : made.parameters)
    parameters.push_back({{"name", each.name},
                          {"meaning", each.meaning},
                          {"kind", kind_of(each.kind)},
                          {"least", each.least},
                          {"most", each.most},
                          {"at_run", each.at_run},
                          {"multiple_of", each.multiple_of}});
  tools::print({{"event", "compilation"},
                {"benchmark", request.benchmark},
                {"parameters", parameters_of(made.parameters)},
                {"specs", parameters},
                {"variant", made.conditions.single() ? "single" : "ndrange"},
                {"shape", made.conditions.single() ? "" : made.conditions.shape()},
                {"kernel", made.kernel_file},
                {"device_info", device_of(made.conditions.device)},
                {"max_work_group", made.conditions.device.max_work_group},
                {"local_memory_bytes", made.conditions.device.local_memory},
                {"max_allocation_bytes", made.conditions.device.max_allocation}});
}

int print_plan(const hpcc::Request& request, const cluster::Ranks& ranks) {
  const hpcc::Plan made = hpcc::plan(request, ranks);
  if (ranks.first())
    tools::print({{"event", "plan"},
                  {"benchmark", request.benchmark},
                  {"places", locations_of(made.locations)},
                  {"ranks", ranks.size()},
                  {"grid", fmt::format("{}x{}", made.grid.rows, made.grid.columns)},
                  {"run", request.optimized ? "optimized" : "base"},
                  {"size", request.size},
                  {"variant", made.conditions.single() ? "single" : "ndrange"},
                  {"parameters", parameters_of(made.parameters)},
                  {"parameters_from", made.parameters_from},
                  {"repetitions", made.repetitions},
                  {"burn_in_s", request.seconds},
                  {"memory_bytes", made.needs.memory},
                  {"operations", made.needs.operations},
                  {"traffic_bytes", made.needs.traffic},
                  {"device_info", device_of(made.conditions.device)}});
  return tools::kDone;
}

int benchmark(const hpcc::Request& request, const cluster::Ranks& ranks) {
  hpcc::Listener listener;
  if (ranks.first()) {
    listener.on_locations = [](const auto& locations) {
      tools::print({{"event", "places"}, {"places", locations_of(locations)}});
    };
    listener.on_repetition = [&](const hpcc::Repetition& done) {
      tools::print({{"event", "progress"},
                    {"what", request.benchmark},
                    {"done", done.number},
                    {"total", done.total},
                    {"begin_s", done.begin},
                    {"end_s", done.end}});
    };
  }
  const hpcc::Outcome run = hpcc::run(request, ranks, listener);
  if (ranks.first())
    for (const hpcc::Result& result : run.results) tools::print(record_of(request, run, result));
  if (run.burn_in && run.burn_in->cut_short) return tools::kInterrupted;
  return run.validation.passed() ? tools::kDone : tools::kAnswerIsNo;
}

/// What every rank knows is said by the first; what one rank alone knows it says itself, and ends the others.
int on_all_ranks(const hpcc::Request& request, const cluster::Job& job, bool planned) {
  try {
    return planned ? print_plan(request, job.ranks()) : benchmark(request, job.ranks());
  } catch (const cluster::AgreedError& error) {
    // Said before MPI ends: once one rank has left with an error, the launcher ends those that are still to say it.
    return job.ranks().first() ? tools::fail(error.what()) : tools::kCouldNotRun;
  } catch (const Interrupted&) {
    // Others may wait for this rank in a repetition.
    if (job.ranks().size() > 1) job.abort(tools::kInterrupted);
    throw;
  } catch (const std::exception& error) {
    if (job.ranks().size() == 1) throw;
    job.abort(tools::fail(fmt::format("rank {}: {}", job.ranks().rank(), error.what())));
  }
}

hpcc::Request request_of(tools::Request& asked) {
  const hpcc::Request usual;
  return {.benchmark = asked.text("BENCH").value_or(""),
          .target = asked.text("on").value_or(usual.target),
          .variant = asked.text("variant").value_or(""),
          .shape = asked.text("shape").value_or(""),
          .size = asked.text("size").value_or(usual.size),
          .optimized = asked.flag("optimized"),
          .share = asked.flag("share"),
          .parts = asked.count("parts").value_or(usual.parts),
          .repetitions = asked.count("repeat").value_or(usual.repetitions),
          .seconds = asked.positive("for").value_or(usual.seconds),
          .grid = asked.text("grid").value_or(""),
          .scheme = asked.text("scheme").value_or(""),
          .kernel_file = asked.text("kernel").value_or(""),
          .binary = asked.text("binary").value_or(""),
          .overrides = asked.assignments("set"),
          .parameters_from = asked.text("parameters-from").value_or("")};
}

int answer(tools::Request& asked, int argc, char** argv) {
  const hpcc::Request request = request_of(asked);
  const bool parameters = asked.flag("parameters");
  const bool planned = asked.flag("plan");
  const std::string binary = asked.text("compile").value_or("");
  asked.refuse_others();
  if (parameters || !binary.empty()) {
    print_compilation(request, parameters ? hpcc::parameters_of(request) : hpcc::compile(request, binary));
    return tools::kDone;
  }
  const cluster::Job job(argc, argv);
  return on_all_ranks(request, job, planned);
}

}  // namespace

int main(int argc, char** argv) {
  return tools::run(argc, argv, all_described, [&](tools::Request& asked) { return answer(asked, argc, argv); });
}
