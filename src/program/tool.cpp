#include "program/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
int fail(std::string reason) {
  std::ranges::replace(reason, '\n', ' ');
  fmt::print(stderr, "error: {}\n", reason);
  return kCouldNotRun;
}

void print(const Record& record) {
  const std::string line = record.dump() + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("standard output: {}", std::strerror(errno)));
    written += static_cast<std::size_t>(count);
  }
}

void Progress::operator()(int done) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  print({{"event", "progress"}, {"what", what_}, {"done", done}, {"total", total_}});
}

int run(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(error.what());
  }
  try {
    // The next file that is opened would otherwise take the place of standard output.
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) throw Error(fmt::format("standard output: {}", std::strerror(errno)));
    watch_for_interrupts();
    // A reader that goes away is an error of writing, not the end of the program.
    if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) throw Error(fmt::format("signal: {}", std::strerror(errno)));
    return body();
  } catch (const Interrupted& interrupt) {
    fail(interrupt.what());
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace isthmus::program
