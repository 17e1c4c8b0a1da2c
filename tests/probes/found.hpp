#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/probes/probe.hpp"

namespace isthmus::probes {

/// All that a probe, by its name, finds in a job.
inline std::vector<Finding> found_by(std::string_view name, const Job& job) {
  const auto probe = std::ranges::find(all_probes(), name, &Probe::name);
  Target target(job);
  std::vector<Finding> found;
  probe->run(job, target, [&found](const Finding& finding) { found.push_back(finding); });
  return found;
}

/// A text among the parameters; "" where there is none of that name.
inline std::string text_of(const Finding& finding, std::string_view name) {
  for (const auto& [each, value] : finding.parameters)
    if (each == name) return std::get<std::string>(value);
  return "";
}

}  // namespace isthmus::probes
