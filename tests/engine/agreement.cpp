#include "engine/agreement.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <isthmus/base/error.hpp>
#include <sstream>

#include "engine/engine_run.hpp"

namespace isthmus::reference {
namespace {

Outcome without_times(Outcome outcome) {
  for (auto& channel : outcome.channels)
    for (auto* events : {&channel.pushes, &channel.pops})
      for (auto& event : *events) event.time = 0;
  return outcome;
}

/// The first line that is not the same, after `how`; "" if all are.
std::string first_line_apart(const std::string& expected, const std::string& actual, const std::string& how) {
  std::istringstream left(expected), right(actual);
  for (std::string a, b; std::getline(left, a) && std::getline(right, b);)
    if (a != b) return how + "the report says\n  " + b + "\nand said\n  " + a;
  return expected == actual ? "" : how + "the report is longer or shorter";
}

std::string shuffled_difference(const Scenario& scenario, const Outcome& expected, const std::string& report,
                                const EngineOptions& options) {
  const auto how = fmt::format("schedule seed {}, declaration seed {}, {}observed: ", options.schedule_seed,
                               options.declaration_seed, options.observed ? "" : "not ");
  const auto run = run_on_engine(scenario, options);
  const auto text = difference(options.observed ? expected : without_times(expected), run.outcome, scenario);
  if (!text.empty()) return how + text;
  return first_line_apart(report, text_of(run.report), how);
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto count = write(file, text.data() + done, text.size() - done);
    if (count < 0) _exit(3);
    done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto count = read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

constexpr char kProgress = '\1';  ///< ends a text given to Report
constexpr char kResult = '\2';    ///< ends the result

std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("died of {}", strsignal(WTERMSIG(status)));
  return fmt::format("left with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string disagreement(const Scenario& scenario, std::uint64_t shuffle_seed) try {
  const Outcome expected = simulate(scenario, engine_draws);
  const EngineOutcome plain = run_on_engine(scenario, {});
  if (auto text = difference(expected, plain.outcome, scenario); !text.empty()) return text;
  if (auto text = message_difference(expected, plain.report, scenario); !text.empty()) return text;
  const auto report = text_of(plain.report);
  for (const EngineOptions& options :
       {EngineOptions{0, 0, false}, EngineOptions{shuffle_seed, 0, true}, EngineOptions{0, shuffle_seed, true},
        EngineOptions{shuffle_seed + 1, shuffle_seed + 2, false}})
    if (auto text = shuffled_difference(scenario, expected, report, options); !text.empty()) return text;
  return "";
} catch (const TooLong&) {
  return "";  // nothing to compare with
} catch (const Error& error) {
  return error.what();
}

std::string isolated(const std::function<std::string(const Report&)>& work, unsigned seconds, std::string* progress) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe: " + std::string(strerror(errno)));
  const pid_t child = fork();
  if (child < 0) throw Error("no process: " + std::string(strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    const auto result = work([&](const std::string& text) { write_all(ends[1], text + kProgress); });
    write_all(ends[1], result + kResult);
    _exit(0);
  }
  close(ends[1]);
  const auto said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw Error("lost a process");
  const auto last = said.rfind(kProgress);
  const auto before = last == std::string::npos || last == 0 ? last : said.rfind(kProgress, last - 1);
  if (progress != nullptr && last != std::string::npos)
    *progress = said.substr(before == std::string::npos ? 0 : before + 1,
                            last - (before == std::string::npos ? 0 : before + 1));
  if (said.empty() || said.back() != kResult) return ending(status);
  const auto start = last == std::string::npos ? 0 : last + 1;
  return said.substr(start, said.size() - 1 - start);
}

}  // namespace isthmus::reference
