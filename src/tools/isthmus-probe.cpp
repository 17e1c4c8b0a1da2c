// Times copies between host and device by size and prints a record for each as JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/sizes.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;

const std::array<std::string, 2> kProbes{"h2d", "d2h"};

struct Options {
  std::string target;
  std::vector<std::string> probes;
  std::string sizes = "4KiB..64MiB:x4";
  int repeat = 10;
  std::vector<std::string> settings;
};

std::vector<std::string> chosen(const Options& options) {
  for (const std::string& name : options.probes)
    if (std::ranges::find(kProbes, name) == kProbes.end()) throw Error(unknown_name("probe", name, kProbes));
  return options.probes.empty() ? std::vector<std::string>(kProbes.begin(), kProbes.end()) : options.probes;
}

tools::Record measure(const Options& options, const std::string& probe, Bytes size) {
  const auto device = offload::open_device(options.target, options.settings);
  const auto direction = probe == "h2d" ? probes::Direction::to_device : probes::Direction::to_host;
  std::vector<double> rates;
  for (const Time time : probes::time_copies(*device, direction, size, options.repeat))
    rates.push_back(static_cast<double>(size.count) / time.seconds() * 1e-9);
  const probes::Summary summary = probes::summarise(rates);
  return {{"event", "record"},
          {"name", probe},
          {"quantity", "bandwidth"},
          {"unit", "GB/s"},
          {"value", summary.median},
          {"samples", rates},
          {"spread", summary.spread},
          {"kind", device->info().modelled ? "modelled" : "measured"},
          {"target", options.target},
          {"device", device->info().name},
          {"parameters", {{"size", size.count}}},
          {"version", version()}};
}

int probe(const Options& options) {
  if (options.target.empty()) throw Error("TARGET: expected a target such as model:aws-f1 or opencl:0");
  if (options.repeat < 1) throw Error(fmt::format("--repeat: expected 1 or more, got {}", options.repeat));
  const std::vector<Bytes> sizes = probes::parse_sizes(options.sizes);
  for (const std::string& name : chosen(options))
    for (const Bytes size : sizes) tools::print(measure(options, name, size));
  return tools::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times copies between host and device by size and prints a record for each as JSON lines.");
  Options options;
  app.add_option("TARGET", options.target, "the target: model:NAME, FILE.toml, opencl:N or opencl:NAME");
  app.add_option("PROBE", options.probes, "h2d, d2h: pageable host memory to the device, and back; both by default");
  app.add_option("--sizes", options.sizes, "sizes and ranges, such as 64B,4KiB..64MiB:x2")->capture_default_str();
  app.add_option("--repeat", options.repeat, "samples of each size")->capture_default_str();
  app.add_option("--set", options.settings, "KEY=VALUE of a model's platform; may be repeated")
      ->expected(1)
      ->take_all();
  return tools::run(app, argc, argv, [&] { return probe(options); });
}
