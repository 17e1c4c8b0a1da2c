#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "isthmus/base/record.hpp"
#include "program/request.hpp"

/// The common ground of programs, ours and those of users: records on stdout, one line for an error on stderr, exit
/// codes.
namespace isthmus::program {

inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;
inline constexpr int kCouldNotRun = 2;
inline constexpr int kInterrupted = 130;

/// Writes one record to stdout as a line of JSON; throws Error if it cannot be written whole (a full disk, a closed
/// pipe).
void print(const Record& record);

/// Writes `error: ` and the reason as one line to stderr; the exit code for it.
int fail(std::string reason);

/// Prints "`what` done of total", at most ten times a second.
class Progress {
 public:
  Progress(std::string what, int total) : what_(std::move(what)), total_(total) {}
  void operator()(int done);

 private:
  std::string what_;
  int total_;
  std::chrono::steady_clock::time_point last_;
};

/// The body of a program's `main`. Its one argument is a request for `body`, which returns an exit code, or
/// `--describe`; without any, the request is read from stdin. An exception becomes `error: ...` in one line on stderr
/// and exit code 2, an interrupt 130.
///
/// `describe` gives the program's offers, which are printed as one record.
int run(int argc, char** argv, const std::function<Record()>& describe, const std::function<int(Request&)>& body);

}  // namespace isthmus::program
