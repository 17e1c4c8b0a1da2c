#include "program/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <span>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
int fail(std::string reason) {
  std::ranges::replace(reason, '\n', ' ');
  fmt::print(stderr, "error: {}\n", reason);
  return kCouldNotRun;
}

void print(const Record& record) {
  const std::string line = record.text() + "\n";
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

namespace {

constexpr std::string_view kDescribe = "--describe";

std::string all_of_stdin() {
  if (isatty(STDIN_FILENO) != 0)
    throw Error(fmt::format("request: expected one, as the argument or on standard input, or {}", kDescribe));
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("standard input: {}", std::strerror(errno)));
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

int answer(const std::span<char*>& words, const std::function<Record()>& describe,
           const std::function<int(Request&)>& body) {
  if (words.size() > 1) throw Error(fmt::format("request: expected one argument, got {}", words.size()));
  if (!words.empty() && words.front() == kDescribe) {
    Record record{{"event", "description"}};
    record.update(describe());
    print(record);
    return kDone;
  }
  Request request(words.empty() ? all_of_stdin() : words.front());
  return body(request);
}

}  // namespace

int run(int argc, char** argv, const std::function<Record()>& describe, const std::function<int(Request&)>& body) {
  try {
    // The next file that is opened would otherwise take the place of standard output.
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) throw Error(fmt::format("standard output: {}", std::strerror(errno)));
    watch_for_interrupts();
    // A reader that goes away is an error of writing, not the end of the program.
    if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) throw Error(fmt::format("signal: {}", std::strerror(errno)));
    return answer(std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0), describe, body);
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
