#pragma once

#include <map>
#include <string>

#include "isthmus/apps/applications.hpp"

namespace isthmus::apps {

using Chosen = std::map<std::string, program::ParameterValue>;

/// The maker of the application of that name.
inline const program::Maker& maker_of(const std::string& name) {
  static const std::map<std::string, const program::Maker*> kAll = [] {
    std::map<std::string, const program::Maker*> all;
    for (const program::Maker& maker : applications())
      all[maker.make(program::each_of(maker.parameters, program::Values(maker.parameters)).front()).name] = &maker;
    return all;
  }();
  return *kAll.at(name);
}

/// The application of that name with these values, and the presets of all others.
inline program::ByteApplication installed(const std::string& name, const Chosen& chosen = {}) {
  const program::Maker& maker = maker_of(name);
  program::Values values(maker.parameters);
  for (const auto& [parameter, value] : chosen) values.set(parameter, value);
  return maker.make(values);
}

}  // namespace isthmus::apps
