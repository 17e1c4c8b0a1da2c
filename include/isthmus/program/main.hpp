#pragma once

#include <concepts>
#include <span>

#include "isthmus/application/application.hpp"

namespace isthmus::program {

/// The body of `main` of an application's program. It runs messages through the application on one target and prints a
/// row as a line of JSON, as the tools of Isthmus do, so that `isthmus run PATH` and a study can run it. The request is
/// its one argument, or is read from stdin: a JSON object with a key for each option of `isthmus run`.
///
///     program '{"on":"native","count":3}'
///
///     "on": "model:NAME" | "FILE.toml" | "opencl:N" | "native"   the target
///     "flow": "stream" | "offload" | "overlap" | "shared"        by default the first that application and target have
///     "count": N                                                 messages; also by their own name, such as "images"
///     "set": {"NAME": VALUE, "KEY": VALUE}                       parameters of the application, and numbers
///                                                                of the model's platform: KEY has a dot
///     "seed": N                                                  for random draws
///     "workers": N, "compute-units": N                           threads of the target native, copies of the kernel
///     "map": {"ACTOR": WORKER}                                   which of the threads runs which actor
///     "trace": "FILE"                                            states of the model's parts, for Perfetto
///     "grain": "fine" | "coarse"                                 of the model (docs/grain.md)
///     "list": true                                               prints it, and its flows on the target
///
/// With the argument `--describe` it prints its offers. Returns the exit code: 0 done, 1 an output differs from the
/// reference, 2 could not run (one line on stderr), 130 after Ctrl-C. `data` is the folder of the installed package's
/// data, where it is not above the program.
int main_of(int argc, char** argv, const Maker& application, const char* data);

/// The same of the application that "APP": "NAME" chooses of several.
int main_of_one(int argc, char** argv, std::span<const Maker> applications);

/// Templates, so that each program has its own: where the package's data are is known to those who link it.
template <std::same_as<Maker> Made>
int main_of(int argc, char** argv, const Made& application) {
#ifdef ISTHMUS_DATA  // find_package(Isthmus) says where it is
  return main_of(argc, argv, application, ISTHMUS_DATA);
#else
  return main_of(argc, argv, application, nullptr);
#endif
}

template <class Input, class Output>
int main_of(int argc, char** argv, const Application<Input, Output>& application) {
  return main_of(argc, argv, Maker{.make = [&](const Values&) { return application.bytes(); }});
}

}  // namespace isthmus::program
