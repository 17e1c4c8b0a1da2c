#include "isthmus/base/interrupt.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

std::atomic<bool> noted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void note_signal(int) {
  noted = true;
}

}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // a second Ctrl-C ends the program at once
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2})
    if (sigaction(signal, &action, nullptr) != 0) throw Error(fmt::format("sigaction: {}", std::strerror(errno)));
}

bool interrupted() {
  return noted;
}

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace isthmus
