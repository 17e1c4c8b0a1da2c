#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/engine/trace.hpp"
#include "program/request.hpp"

namespace isthmus::program {

/// The options with which a user asks for the trace of a modelled run.
class TraceArguments {
 public:
  /// Throws Error where an option says what of a trace that nobody asked for.
  explicit TraceArguments(Request& request);
  bool wanted() const { return !file_.empty(); }
  /// Throws Error where an option does not say what it should, or the file cannot be written.
  std::unique_ptr<TraceFile> open() const;
  /// Puts the trace in its place and tells the user of it.
  void close(TraceFile& trace) const;

 private:
  std::string file_;
  std::string window_;
  std::vector<std::string> parts_;
  std::string limit_;
};

}  // namespace isthmus::program
