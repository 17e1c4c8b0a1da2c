#pragma once

#include <string>

#include "isthmus/platform/grain.hpp"
#include "program/request.hpp"

namespace isthmus::program {

/// The option with which a user chooses the grain of a modelled run.
class GrainArgument {
 public:
  GrainArgument() = default;
  explicit GrainArgument(Request& request) : name_(request.text("grain").value_or("")) {}
  /// Throws Error where the option names no grain, or was given for a target that is no model.
  void check(const std::string& target, bool modelled) const;
  platform::Grain chosen() const;
  bool coarse() const { return chosen() == platform::Grain::coarse; }

 private:
  std::string name_;
};

}  // namespace isthmus::program
