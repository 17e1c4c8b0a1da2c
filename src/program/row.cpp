#include "program/row.hpp"

#include <algorithm>

#include "isthmus/base/summary.hpp"
#include "isthmus/base/version.hpp"
#include "program/choice_option.hpp"
#include "program/parameter_options.hpp"

namespace isthmus::program {
namespace {

const std::string kMessages = "messages";

/// "image" of "images".
std::string one_of(const std::string& counted) {
  return counted.substr(0, counted.size() - 1);
}

double total_bytes(const Asked& asked) {
  return static_cast<double>(asked.bytes_each()) * asked.count();
}

/// The times of messages, each from its acquire or first enqueue to its output; null where that is known of none.
Record latency(const std::vector<Time>& of_messages) {
  if (of_messages.empty()) return nullptr;
  std::vector<double> sorted;
  sorted.reserve(of_messages.size());
  for (const Time each : of_messages) sorted.push_back(each.seconds());
  std::ranges::sort(sorted);
  return {{"p50_s", percentile(sorted, 0.5)},
          {"p99_s", percentile(sorted, 0.99)},
          {"p999_s", percentile(sorted, 0.999)},
          {"max_s", sorted.back()}};
}

/// Shares are of `elapsed`, or, if the stages are parts of a model, of the whole run.
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
  int number = 0;
  for (const auto& message : times.first) {
    Record steps = Record::array();
    for (const Step& step : message)
      steps.push_back({{"name", step.name}, {"begin_s", step.begin.seconds()}, {"end_s", step.end.seconds()}});
    list.push_back({{one, number++}, {"steps", std::move(steps)}});
  }
  return list;
}

Record seconds(const std::vector<Time>& times) {
  Record list = Record::array();
  for (const Time each : times) list.push_back(each.seconds());
  return list;
}

void add(Record& record, const std::vector<Fact>& facts) {
  for (const auto& [name, value] : facts) record[name] = value;
}

void add(Record& row, const PacketTally& packets) {
  row["lost"] = packets.lost;
  row["reordered"] = packets.reordered;
  row["cores"] = packets.cores;
}

Record to_json(const FaultTally& faults) {
  return {{"stalled", faults.stalled},
          {"dropped", faults.dropped},
          {"duplicated", faults.duplicated},
          {"replayed", faults.replayed},
          {"corrupted", faults.corrupted}};
}

/// "speedup.mean" goes into the record speedup.
void add_told(Record& row, const std::string& name, double value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos)
    row[name] = value;
  else
    row[name.substr(0, dot)][name.substr(dot + 1)] = value;
}

}  // namespace

std::size_t bytes_each(const ByteApplication& application) {
  const Extras& extras = application.extras;
  return extras.payload.value_or(application.input / static_cast<std::size_t>(extras.in_message));
}

Record row_of(const Asked& asked, const Target& target, const Run& run) {
  const ByteApplication& application = asked.application;
  const std::string& counted = application.extras.counted;
  const double elapsed = run.times.elapsed.seconds();
  const double rate = asked.count() / elapsed;
  Record row{{"event", "row"},
             {"target", asked.target},
             {"device", target.device_name()},
             {"flow", asked.flow},
             {"kind", target.modelled() ? "modelled" : "measured"},
             {"application", application.name},
             {"count", asked.count()},
             {"counted", counted},
             {counted, asked.count()}};
  add(row, application.extras.facts);
  row["bytes_per_" + one_of(counted)] = asked.bytes_each();
  row["bytes_each"] = asked.bytes_each();
  if (application.extras.in_message > 1) row["in_message"] = application.extras.in_message;
  if (!application.extras.buffers.empty()) add(row, application.extras.buffers, asked.choice);
  row["parameters"] = to_json(asked.values);
  row["elapsed_s"] = elapsed;
  row["setup_s"] = run.setup.seconds();
  row[counted + "_per_s"] = rate;
  row["value"] = rate;
  row["unit"] = counted + "/s";
  row["gb_per_s"] = total_bytes(asked) / elapsed * 1e-9;
  if (run.times.computing) row["overhead_share"] = 1 - run.times.computing->seconds() / elapsed;
  if (application.extras.iterates) row["iteration_ends_s"] = seconds(run.times.launches);
  row["latency"] = latency(run.times.latencies);
  row["verified"] = run.right();
  row["stages"] = stages(run.times);
  const std::string& in_order = application.extras.in_message > 1 ? kMessages : counted;
  row["first_" + in_order] = first_messages(run.times, one_of(in_order));
  if (run.packets) add(row, *run.packets);
  if (run.faults) row["faults"] = to_json(*run.faults);
  if (application.extras.told)
    for (const auto& [name, value] : application.extras.told()) add_told(row, name, value);
  row["seed"] = asked.seed;
  row["version"] = version();
  target.explain(row);
  if (run.difference) row["difference"] = to_json(*run.difference, application);
  return row;
}

void add_samples(Record& row, const Asked& asked, const Measuring& measuring) {
  measuring.add_to(row, "value", asked.count(), static_cast<double>(asked.bytes_each()));
  row[asked.application.extras.counted + "_per_s"] = row["value"];
}

Record to_json(const Difference& difference, const ByteApplication& application) {
  Record record = to_json(difference);
  if (application.extras.place) add(record, application.extras.place(difference.offset));
  return record;
}

}  // namespace isthmus::program
