#pragma once

#include "isthmus/program/application.hpp"

namespace isthmus::program {

/// The body of `main` of an application's program. It runs messages through the kernel on one target and prints a row
/// as a line of JSON, as the tools of Isthmus do, so that `isthmus run PATH` and a study can run it:
///
///     --on model:NAME | FILE.toml | native    the target
///     --messages N                            how many messages
///     --set KEY=VALUE                         replaces a number of the model's platform
///     --workers N                             threads of the target native
///     --map ACTOR=WORKER,...                  which of them runs which actor
///     --trace FILE                            states of the model's parts, for Perfetto
///     --grain fine | coarse                   of the model; such a program runs finely whatever it is
///
/// Returns the exit code: 0 done, 1 an output differs from the reference, 2 could not run (one line on stderr), 130
/// after Ctrl-C. `data` is the folder of the installed package's data, where it is not above the program.
int main_of(int argc, char** argv, const ByteApplication& application, const char* data = nullptr);

template <class Input, class Output>
int main_of(int argc, char** argv, const Application<Input, Output>& application) {
#ifdef ISTHMUS_DATA  // find_package(Isthmus) says where it is
  return main_of(argc, argv, application.bytes(), ISTHMUS_DATA);
#else
  return main_of(argc, argv, application.bytes());
#endif
}

}  // namespace isthmus::program
