#pragma once

#include <map>
#include <string>

#include "isthmus/apps/described.hpp"

namespace isthmus::apps {

using Said = std::map<std::string, std::string>;

/// The described application of these values, and of the presets of all others.
inline program::ByteApplication described_by(const Said& said) {
  const program::Maker maker = described();
  program::Values values(maker.parameters);
  for (const program::Parameter& parameter : maker.parameters)
    if (const auto found = said.find(parameter.name); found != said.end())
      values.set(parameter.name, parse(parameter, found->second, parameter.name));
  return maker.make(values);
}

}  // namespace isthmus::apps
