#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli_app.hpp"
#include "program/faults.hpp"

namespace isthmus::program {

/// The names of faults, as users give them.
std::vector<std::string> fault_names();

/// The option with which a user asks for faults.
class FaultsArgument {
 public:
  void add_to(CLI::App& app);
  /// Throws Error where a name is none of a fault, comes twice, or its value is none that it may have.
  Faults chosen() const;
  /// Throws Error where one was asked for that is none of `acting`, those that act on something in a run; `what` the
  /// run is.
  void require(std::span<const std::string_view> acting, const std::string& what) const;

 private:
  std::vector<std::string> given_;  ///< NAME=VALUE, as the user typed it
};

}  // namespace isthmus::program
