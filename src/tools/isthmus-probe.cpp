// Runs micro-benchmarks of how data crosses between host and device and prints a record for each as JSON lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/summary.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/probes/probe.hpp"
#include "isthmus/probes/sizes.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;

struct Options {
  std::string target;
  std::vector<std::string> probes;
  std::string sizes = "64B..64MiB:x4";
  std::string bursts;
  std::int64_t offset = 0;
  int repeat = 20;
  std::uint64_t seed = 1;
  std::vector<std::string> settings;
  bool list = false;
};

std::vector<const probes::Probe*> chosen(const Options& options, bool modelled) {
  std::vector<const probes::Probe*> found;
  std::vector<std::string> names;
  for (const probes::Probe& probe : probes::all_probes()) {
    names.emplace_back(probe.name);
    if (options.probes.empty() && (modelled || !probe.on_models_alone)) found.push_back(&probe);
  }
  for (const std::string& name : options.probes) {
    const auto probe = std::ranges::find(probes::all_probes(), name, &probes::Probe::name);
    if (probe == probes::all_probes().end()) throw Error(unknown_name("probe", name, names));
    found.push_back(&*probe);
  }
  return found;
}

tools::Record parameters_of(const probes::Finding& finding) {
  tools::Record parameters{{"size", finding.size.count}};
  for (const auto& [name, value] : finding.parameters)
    std::visit([&parameters, &name](const auto& each) { parameters[name] = each; }, value);
  return parameters;
}

tools::Record record_of(const Options& options, const offload::DeviceInfo& info, const probes::Probe& probe,
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
                         {"p75", summary.p75},
                         {"p95", summary.p95},
                         {"p100", summary.most}}},
                       {"kind", info.modelled ? "modelled" : "measured"},
                       {"target", options.target},
                       {"device", info.name},
                       {"parameters", parameters_of(finding)},
                       {"version", version()}};
  if (finding.load) record["load"] = *finding.load;
  if (finding.times.empty()) return record;
  std::vector<double> seconds;
  seconds.reserve(finding.times.size());
  for (const Time time : finding.times) seconds.push_back(time.seconds());
  record["time_s"] = summarise(seconds).median;
  return record;
}

void list() {
  for (const probes::Probe& probe : probes::all_probes())
    tools::print({{"event", "probe"},
                  {"name", probe.name},
                  {"meaning", probe.meaning},
                  {"on_models_alone", probe.on_models_alone}});
}

/// Runs one; the sizes that the user asked for and that it does not take are named.
void run_probe(const Options& options, const probes::Job& job, probes::Target& target, const offload::DeviceInfo& info,
               const probes::Probe& probe) {
  std::set<std::int64_t> reported;
  probe.run(job, target, [&](const probes::Finding& finding) {
    tools::print(record_of(options, info, probe, finding));
    reported.insert(finding.size.count);
  });
  if (options.probes.empty() || probe.sizes.empty()) return;
  if (reported.empty())
    throw Error(
        fmt::format("--sizes '{}': nothing to tell of {}, expected {}", options.sizes, probe.name, probe.sizes));
  std::vector<std::string> left_out;
  for (const Bytes size : job.sizes)
    if (!reported.contains(size.count)) left_out.push_back(fmt::format("{} B", size.count));
  if (!left_out.empty())
    tools::print(
        {{"event", "note"},
         {"text", fmt::format("{}: left out {}; it takes {}", probe.name, fmt::join(left_out, ", "), probe.sizes)}});
}

int probe(const Options& options) {
  if (options.list) {
    list();
    return tools::kDone;
  }
  if (options.target.empty()) throw Error("TARGET: expected a target such as model:aws-f1 or opencl:0");
  if (options.repeat < 1) throw Error(fmt::format("--repeat: expected 1 or more, got {}", options.repeat));
  probes::Job job{.target = options.target,
                  .settings = options.settings,
                  .sizes = probes::parse_sizes(options.sizes),
                  .bursts = {},
                  .offset = {options.offset},
                  .samples = options.repeat,
                  .seed = options.seed};
  if (!options.bursts.empty()) job.bursts = probes::parse_sizes(options.bursts);
  probes::Target target(job);
  const offload::DeviceInfo info = target.open().info();
  for (const probes::Probe* each : chosen(options, info.modelled)) run_probe(options, job, target, info, *each);
  return tools::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs micro-benchmarks of how data crosses between host and device; prints records as JSON lines.");
  Options options;
  app.add_option("TARGET", options.target, "the target: model:NAME, FILE.toml, opencl:N or opencl:NAME");
  app.add_option("PROBE", options.probes, "names of --list; by default all that the target has");
  app.add_option("--sizes", options.sizes, "sizes and ranges, such as 64B,4KiB..64MiB:x2")->capture_default_str();
  app.add_option("--burst", options.bursts,
                 "stretches in which device memory is read and written, as sizes; by default each size at once");
  app.add_option("--offset", options.offset, "where the device's accesses to host memory begin in their page, bytes")
      ->check(CLI::Range(0, 4032))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "samples of each size, of a real device the most")->capture_default_str();
  app.add_option("--seed", options.seed, "of the order in which a real device's sizes are probed")
      ->capture_default_str();
  app.add_option("--set", options.settings, "KEY=VALUE of a model's platform; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_flag("--list", options.list, "print the probes and stop");
  return tools::run(app, argc, argv, [&] { return probe(options); });
}
