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

/// Launches, learns by `how` that all is complete (or never asks), and leaves by _exit.
[[noreturn]] void leave_by_exit(const std::string& how) {
  auto* const session = new Session;
  cl_command_queue queue = session->queue_with(0);
  cl_event gate = known::make_gate(*session);
  cl_event last = known::launch_three(*session, queue, gate);
  known::wait_beside_opencl(*session, last, gate);
  cl_int status = CL_QUEUED;
  if (how == "polls")
    known::check(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), how.c_str());
  if (how == "releases-queue") known::check(clReleaseCommandQueue(queue), how.c_str());
  if (how == "releases-context") known::check(clReleaseContext(session->context), how.c_str());
  _exit(7);
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
  if (part == "polls" || part.starts_with("releases-") || part == "never-asks") leave_by_exit(part);
  const Session session;
  if (part == "buffers" || part == "all") known::move_buffers(session);
  if (part == "images" || part == "all") known::move_images(session);
  if (part == "shared" || part == "all") known::move_shared_memory(session);
  if (part == "compute" || part == "all") known::compute(session);
  if (part == "objects" || part == "all") known::make_objects(session);
  if (part == "extensions" || part == "all") known::use_extensions(session);
  if (part == "gate") known::wait_for_the_host(session);
  if (part == "waits") known::wait_without_a_wait(session);
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
