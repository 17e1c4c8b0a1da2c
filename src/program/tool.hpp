#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "program/cli_app.hpp"

/// The common ground of programs, ours and those of users: records on stdout, one line for an error on stderr, exit
/// codes.
namespace isthmus::program {

using Record = nlohmann::ordered_json;

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

/// Parses the command line and runs `body`, which returns an exit code. What it throws becomes `error: ...` in one line
/// on stderr and exit code 2, an interrupt 130.
int run(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace isthmus::program
