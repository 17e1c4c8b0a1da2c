#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/grain_option.hpp"
#include "program/request.hpp"

/// The options of isthmus-probe.
namespace isthmus::tools {

struct ProbeOptions {
  std::string target;
  std::vector<std::string> probes;
  std::vector<std::int64_t> sizes{64, 4096, 65536, 1 << 20, 64 << 20};
  std::vector<std::int64_t> bursts;
  std::vector<std::string> starts;
  std::vector<std::string> ports;
  std::vector<std::string> states;
  std::vector<std::string> operations;
  std::vector<std::int64_t> buffers{1};
  std::vector<std::int64_t> loads{0};
  std::int64_t offset = 0;
  int repeat = 20;
  std::uint64_t seed = 1;
  std::vector<std::string> overrides;
  std::vector<std::string> channels;
  bool list = false;
  bool whole_lines = false;
  program::GrainArgument grain;

  ProbeOptions() = default;
  /// Sizes and bursts are refused outside 1 B to 1 PiB.
  explicit ProbeOptions(program::Request& request);
};

/// The names of the options that were given of those that only some probes take.
std::vector<std::string_view> of_some_probes(const ProbeOptions& options);

}  // namespace isthmus::tools
