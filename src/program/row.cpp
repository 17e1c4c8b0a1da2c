#include "program/row.hpp"

#include <algorithm>

#include "isthmus/base/summary.hpp"
#include "isthmus/base/version.hpp"
#include "program/parameter_options.hpp"

namespace isthmus::program {
namespace {

/// "image" of "images".
std::string one_of(const std::string& counted) {
  return counted.substr(0, counted.size() - 1);
}

double total_bytes(const Asked& asked) {
  return static_cast<double>(asked.application.input) * asked.count;
}

/// How long messages took, each from its acquire or first enqueue to its output.
Record latency(const std::vector<Time>& of_messages) {
  std::vector<double> sorted;
  sorted.reserve(of_messages.size());
  for (const Time each : of_messages) sorted.push_back(each.seconds());
  std::ranges::sort(sorted);
  return {{"p50_s", percentile(sorted, 0.5)},
          {"p99_s", percentile(sorted, 0.99)},
          {"p999_s", percentile(sorted, 0.999)},
          {"max_s", sorted.back()}};
}

/// Shares are of `elapsed`, or, where stages are what parts of a model did, of the whole run.
Record stages(const FlowTimes& times) {
  const Time whole = times.lasted == Time{} ? times.elapsed : times.lasted;
  Record list = Record::array();
  for (const Stage& stage : times.stages)
    list.push_back(
        {{"name", stage.name}, {"time_s", stage.time.seconds()}, {"share", stage.time.seconds() / whole.seconds()}});
  return list;
}

Record first_messages(const FlowTimes& times, const std::string& one) {
  Record list = Record::array();
  for (const auto& message : times.first) {
    Record steps = Record::array();
    for (const Step& step : message)
      steps.push_back({{"name", step.name}, {"begin_s", step.begin.seconds()}, {"end_s", step.end.seconds()}});
    list.push_back({{one, list.size()}, {"steps", std::move(steps)}});
  }
  return list;
}

void add(Record& record, const std::vector<Fact>& facts) {
  for (const auto& [name, value] : facts) record[name] = value;
}

}  // namespace

Record row_of(const Asked& asked, const Target& target, const Run& run) {
  const ByteApplication& application = asked.application;
  const std::string& counted = application.extras.counted;
  const double elapsed = run.times.elapsed.seconds();
  const double rate = asked.count / elapsed;
  Record row{{"event", "row"},
             {"target", asked.target},
             {"device", target.device_name()},
             {"flow", asked.flow},
             {"kind", target.modelled() ? "modelled" : "measured"},
             {"application", application.name},
             {"count", asked.count},
             {"counted", counted},
             {counted, asked.count}};
  add(row, application.extras.facts);
  row["bytes_each"] = row["bytes_per_" + one_of(counted)] = application.input;
  row["parameters"] = to_json(asked.values);
  row["elapsed_s"] = elapsed;
  row["setup_s"] = run.setup.seconds();
  row["value"] = row[counted + "_per_s"] = rate;
  row["unit"] = counted + "/s";
  row["gb_per_s"] = total_bytes(asked) / elapsed * 1e-9;
  row["latency"] = latency(run.times.latencies);
  row["verified"] = !run.difference;
  row["stages"] = stages(run.times);
  row["first_" + counted] = first_messages(run.times, one_of(counted));
  row["seed"] = asked.seed;
  row["version"] = version();
  target.explain(row);
  if (run.difference) row["difference"] = to_json(*run.difference, application);
  return row;
}

void add_samples(Record& row, const Asked& asked, const Measuring& measuring) {
  measuring.add_to(row, "value", asked.count, static_cast<double>(asked.application.input));
  row[asked.application.extras.counted + "_per_s"] = row["value"];
}

Record to_json(const Difference& difference, const ByteApplication& application) {
  Record record = to_json(difference);
  if (application.extras.place) add(record, application.extras.place(difference.offset));
  return record;
}

}  // namespace isthmus::program
