// known_calls PART [N]: an OpenCL program whose every call is known; it prints them.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "layer/opencl_program.hpp"

namespace {

using known::Session;

/// Leaves while nothing is released, by the way that `how` names.
[[noreturn]] void leave(const std::string& how) {
  auto* const session = new Session;
  known::move_buffers(*session);
  if (how == "killed") raise(SIGKILL);
  if (how == "crashed") raise(SIGSEGV);
  if (how == "quick") _exit(7);
  std::exit(6);
}

/// A child that does nothing with OpenCL, and one that becomes this program anew.
int split(char* self) {
  const Session session;
  known::move_buffers(session);
  const pid_t silent = fork();
  if (silent == 0) _exit(0);
  const pid_t child = fork();
  if (child == 0) {
    execl(self, self, "compute", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(silent, nullptr, 0);
  waitpid(child, &status, 0);
  known::move_images(session);
  return WEXITSTATUS(status);
}

int run(const std::string& part, int count, char* self) {
  if (part == "none") return 3;
  if (part == "split") return split(self);
  if (part == "killed" || part == "crashed" || part == "quick" || part == "left") leave(part);
  const Session session;
  if (part == "buffers" || part == "all") known::move_buffers(session);
  if (part == "images" || part == "all") known::move_images(session);
  if (part == "shared" || part == "all") known::move_shared_memory(session);
  if (part == "compute" || part == "all") known::compute(session);
  if (part == "gate" || part == "all") known::wait_for_the_host(session);
  if (part == "properties") known::show_properties(session);
  if (part == "threads") known::use_threads(session);
  if (part == "many") known::make_many(session, count);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("error: expected known_calls PART [N]\n", stderr);
    return 2;
  }
  return run(words[1], count > 2 ? std::atoi(words[2]) : 1000, words[0]);
}
