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
  /// Throws Error if an option of traces stands without --trace.
  explicit TraceArguments(Request& request);
  bool wanted() const { return !file_.empty(); }
  /// Throws Error if an option cannot be read, or the file cannot be written.
  std::unique_ptr<TraceFile> open() const;
  /// Moves the trace to its file and prints a note.
  void close(TraceFile& trace) const;

 private:
  std::string file_;
  std::string window_;
  std::vector<std::string> parts_;
  std::string limit_;
};

}  // namespace isthmus::program
