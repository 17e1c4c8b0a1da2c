#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isthmus/application/application.hpp"
#include "program/request.hpp"
#include "program/tool.hpp"

namespace isthmus::program {

/// The options with which a user says how buffers are kept coherent that ports move, and how a program is rewritten:
/// --method, --rewrite and --delay.
class ChoiceArgument {
 public:
  explicit ChoiceArgument(Request& request);
  /// Throws Error if the application has no such buffers, or the choice does not suit it or its `messages`.
  soc::Choice chosen(const ByteApplication& application, int messages) const;

 private:
  std::vector<soc::Method> methods(const std::vector<soc::Buffer>& buffers) const;

  std::string method_;                                        ///< of all buffers
  std::vector<std::pair<std::string, std::string>> methods_;  ///< that of each, by its name
  std::string rewrite_;
  int delay_ = 0;
};

/// The buffers as records hold them.
Record to_json(const std::vector<soc::Buffer>& buffers);

/// Adds the choice to a row: `method`, the one of all buffers or "mixed", and `methods`, that of each.
void add(Record& row, const std::vector<soc::Buffer>& buffers, const soc::Choice& choice);

}  // namespace isthmus::program
