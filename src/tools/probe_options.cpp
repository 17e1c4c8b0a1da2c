#include "tools/probe_options.hpp"

namespace isthmus::tools {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 50;  // bytes
constexpr std::int64_t kLastOffset = 4032;                // bytes, of a page's last line

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

ProbeOptions::ProbeOptions(program::Request& request) : ProbeOptions() {
  target = request.text("TARGET").value_or("");
  probes = request.texts("PROBE");
  if (request.has("sizes")) sizes = request.integers("sizes", 1, kLargest);
  bursts = request.integers("burst", 1, kLargest);
  starts = request.texts("start");
  ports = request.texts("port");
  states = request.texts("state");
  operations = request.texts("op");
  if (request.has("buffers")) buffers = request.integers("buffers", 1, program::Request::kMostCounted);
  if (request.has("load")) loads = request.integers("load", 0, program::Request::kMostCounted);
  offset = request.integer("offset", 0, kLastOffset).value_or(offset);
  repeat = request.count("repeat").value_or(repeat);
  seed = request.natural("seed").value_or(seed);
  overrides = request.assignments("set");
  channels = request.texts("channel");
  list = request.flag("list");
  whole_lines = request.flag("whole-lines");
  grain = program::GrainArgument(request);
  request.refuse_others();
}

}  // namespace isthmus::tools
