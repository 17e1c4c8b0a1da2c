#pragma once

#include <string>
#include <vector>

/// Starting a tool as a user's shell does.
namespace isthmus::tools {

struct Outcome {
  int code = 0;  ///< exit code, or 128 plus the number of the signal that ended it
  std::string out;
  std::string err;
};

/// The file to which a tool's standard output goes.
enum class Output { read, closed, full_disk, pipe_without_reader };

struct Command {
  std::vector<std::string> words;          ///< the program and its arguments
  std::string input{};                     ///< what it reads from standard input, a few lines
  std::vector<std::string> environment{};  ///< NAME=VALUE beside this process's own
  Output output = Output::read;
  bool interrupt_after_first_line = false;  ///< send SIGINT as soon as it has printed something
};

Outcome run(const Command& command);

}  // namespace isthmus::tools
