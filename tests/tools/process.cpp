#include "tools/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace isthmus::tools {
namespace {

using Pipe = std::array<int, 2>;

Pipe make_pipe() {
  Pipe ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  return ends;
}

std::string read_some(int end) {
  std::array<char, 4096> bytes{};
  const ssize_t count = read(end, bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(count > 0 ? count : 0)};
}

std::string read_all(int end) {
  std::string text;
  for (std::string part = read_some(end); !part.empty(); part = read_some(end)) text += part;
  close(end);
  return text;
}

void connect_output(Output output, const Pipe& out) {
  switch (output) {
    case Output::read:
    case Output::pipe_without_reader:
      dup2(out[1], STDOUT_FILENO);
      break;
    case Output::closed:
      close(STDOUT_FILENO);
      break;
    case Output::full_disk:
      dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
      break;
  }
}

[[noreturn]] void become(const Command& command, const Pipe& in, const Pipe& out, const Pipe& err) {
  connect_output(command.output, out);
  dup2(in[0], STDIN_FILENO);
  dup2(err[1], STDERR_FILENO);
  for (const int end : {in[0], in[1], out[0], out[1], err[0], err[1]}) close(end);
  for (const auto& entry : command.environment) putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

}  // namespace

Outcome run(const Command& command) {
  const Pipe in = make_pipe();
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  if (command.output == Output::pipe_without_reader) close(out[0]);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become(command, in, out, err);
  // A pipe holds a few lines, whether they are read or not.
  if (write(in[1], command.input.data(), command.input.size()) < 0) throw std::runtime_error("no input");
  close(in[0]);
  close(in[1]);
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  {
    const std::jthread listener([&] { outcome.err = read_all(err[0]); });
    if (command.interrupt_after_first_line) {
      outcome.out = read_some(out[0]);
      kill(child, SIGINT);
    }
    if (command.output != Output::pipe_without_reader) outcome.out += read_all(out[0]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace isthmus::tools
