#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/application/parameter.hpp"
#include "program/request.hpp"
#include "program/tool.hpp"

namespace isthmus::program {

/// The options with which a user chooses the values of an application's parameters and the numbers of a platform:
/// --set for both, whose keys have a dot and whose parameters have none, and --NAME for each parameter.
class ParameterArguments {
 public:
  /// The parameters of `application`, which may have none.
  ParameterArguments(Request& request, std::string application, std::vector<Parameter> declared);

  /// Throws Error where a parameter is unknown, given twice, or a value is none of it.
  Values values() const;
  /// KEY=VALUE of the platform.
  const std::vector<std::string>& overrides() const { return overrides_; }

 private:
  const Parameter& find(const std::string& name, const std::string& where) const;

  std::string application_;
  std::vector<Parameter> declared_;
  std::vector<std::string> overrides_;
  std::vector<std::pair<std::string, std::string>> set_;  ///< names and values that the user typed by --set
  std::vector<std::optional<std::string>> typed_;         ///< values that the user typed by --NAME
};

/// The parameters as records hold them.
Record to_json(const std::vector<Parameter>& declared);
Record to_json(const Values& values);

/// The number of an application's counted units to run: --count, or the name of the unit, such as --images. None if
/// none is given; throws Error where it is given under both names.
std::optional<int> count_of(Request& request, const std::string& counted);

}  // namespace isthmus::program
