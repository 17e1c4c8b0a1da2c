#include "tools/probe_options.hpp"

#include <CLI/CLI.hpp>

namespace isthmus::tools {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 50;  // bytes

}  // namespace

std::vector<std::string_view> of_some_probes(const ProbeOptions& options) {
  const ProbeOptions usual;
  std::vector<std::string_view> given;
  const auto add = [&](std::string_view name, auto ProbeOptions::*option) {
    if (options.*option != usual.*option) given.push_back(name);
  };
  add("--burst", &ProbeOptions::bursts);
  add("--offset", &ProbeOptions::offset);
  add("--start", &ProbeOptions::starts);
  add("--port", &ProbeOptions::ports);
  add("--state", &ProbeOptions::states);
  add("--op", &ProbeOptions::operations);
  add("--buffers", &ProbeOptions::buffers);
  add("--load", &ProbeOptions::loads);
  return given;
}

void add_options(CLI::App& app, ProbeOptions& options) {
  const auto list = [&app](const char* name, auto& values, const std::string& meaning) {
    return app.add_option(name, values, meaning + "; several by commas")->delimiter(',');
  };
  app.add_option("TARGET", options.target, "the target: model:NAME, FILE.toml, opencl:N or opencl:NAME");
  app.add_option("PROBE", options.probes, "probes that --list names; by default all that the target has");
  const CLI::Range positive(std::int64_t{1}, kLargest);
  list("--sizes", options.sizes, "bytes to transfer")->check(positive)->capture_default_str();
  app.add_flag("--whole-lines", options.whole_lines,
               "leave out sizes that end within a line, instead of refusing them");
  list("--burst", options.bursts,
       "bytes of one access to device memory, or of one request to shared memory; by default each "
       "size at once, or a line")
      ->check(positive);
  app.add_option("--offset", options.offset, "offset in the page at which accesses to host memory begin, bytes")
      ->check(CLI::Range(0, 4032))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "samples of each size; a real device may take fewer")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the order in which a real device's sizes are probed")
      ->capture_default_str();
  app.add_option("--set", options.overrides, "KEY=VALUE: replace a number of a model; may be repeated")
      ->expected(1)
      ->take_all();
  list("--channel", options.channels,
       "links of a board with several, or va, which chooses among them; by default each");
  list("--start", options.starts, "state of the caches before a shared-memory probe: cold, warm, flushed");
  list("--port", options.ports, "ports of the FPGA to a processor's memory; by default all");
  list("--state", options.states, "what a core has done to the buffer before: written, read, flushed, streamed");
  list("--op", options.operations, "cache maintenance to probe: flush, invalidate; by default both");
  list("--buffers", options.buffers, "buffers that a maintained size is cut into, each with its barrier")
      ->capture_default_str();
  list("--load", options.loads, "memory accesses in flight on each other core during maintenance")
      ->capture_default_str();
  options.grain.add_to(app);
  app.add_flag("--list", options.list, "print the probes, and which of them TARGET serves, and stop");
}

}  // namespace isthmus::tools
