#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/faults.hpp"
#include "program/request.hpp"

namespace isthmus::program {

/// The option with which a user asks for faults.
class FaultsArgument {
 public:
  explicit FaultsArgument(Request& request) : given_(request.members("faults")) {}
  /// Throws Error where a name is none of a fault, or its value is none that it may have.
  Faults chosen() const;
  /// Throws Error if a fault is none of `acting`, those that act on something in a run; `what` names the run.
  void require(std::span<const std::string_view> acting, const std::string& what) const;

 private:
  std::vector<std::pair<std::string, std::string>> given_;  ///< names and values, as the user typed them
};

}  // namespace isthmus::program
