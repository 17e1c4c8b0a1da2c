#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// The parts of a board's host: those in sections host.*.
std::vector<Section> host_of(const Description& board);

/// The overrides whose keys are a host's.
std::vector<std::string> of_hosts(std::span<const std::string> overrides);

/// The first difference of two hosts: "host.memory.channels = 4 (a.toml:12)" and "8 (b.toml:12)".
struct HostDifference {
  std::string expected;
  std::string got;
};

/// The differences of `other` from `host`; nothing where they say the same, in whatever units.
std::optional<HostDifference> difference(const std::vector<Section>& host, const std::vector<Section>& other);

}  // namespace isthmus::platform
