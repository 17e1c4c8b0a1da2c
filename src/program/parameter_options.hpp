#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isthmus/program/parameter.hpp"
#include "program/cli_app.hpp"
#include "program/tool.hpp"

namespace isthmus::program {

/// The options with which a user chooses the values of an application's parameters and the numbers of a platform:
/// --set for both, whose keys have a dot and whose parameters have none, and --NAME for each parameter.
class ParameterArguments {
 public:
  /// The parameters of `application`, which may have none.
  ParameterArguments(std::string application, std::vector<Parameter> declared)
      : application_(std::move(application)), declared_(std::move(declared)), typed_(declared_.size()) {}
  void add_to(CLI::App& app);

  /// Throws Error where a parameter is unknown, given twice, or a value is none of it.
  Values values() const;
  /// KEY=VALUE of the platform.
  std::vector<std::string> overrides() const;

 private:
  const Parameter& find(const std::string& name, const std::string& assignment) const;

  std::string application_;
  std::vector<Parameter> declared_;
  std::vector<std::string> overrides_;
  std::vector<std::optional<std::string>> typed_;  ///< values that the user typed by --NAME
};

/// The parameters as records hold them.
Record to_json(const std::vector<Parameter>& declared);
Record to_json(const Values& values);

/// The option with which a user says how much of what an application counts is to be run: --count, and the same by the
/// name of what is counted, such as --images.
class CountArgument {
 public:
  CountArgument(std::string counted, int preset) : counted_(std::move(counted)), preset_(preset) {}
  void add_to(CLI::App& app);
  /// None if none is given. Throws Error where it is below 1, or given under both names.
  std::optional<int> chosen() const;

 private:
  std::string counted_;
  int preset_;
  std::optional<int> count_;
  std::optional<int> by_name_;
};

}  // namespace isthmus::program
