#pragma once

#include <concepts>
#include <span>

#include "isthmus/program/application.hpp"

namespace isthmus::program {

/// The body of `main` of an application's program. It runs messages through the application on one target and prints a
/// row as a line of JSON, as the tools of Isthmus do, so that `isthmus run PATH` and a study can run it:
///
///     --on model:NAME | FILE.toml | opencl:N | native    the target
///     --flow stream | offload | overlap | shared         by default the first that application and target have
///     --count N                                          how many messages; by what it counts too, as --messages
///     --set NAME=VALUE, --NAME VALUE                     a parameter that the application declares
///     --set KEY=VALUE                                    replaces a number of the model's platform: KEY has a dot
///     --seed N                                           for what is drawn at random
///     --workers N                                        threads of the target native
///     --compute-units N                                  copies of the kernel there
///     --map ACTOR=WORKER,...                             which of them runs which actor
///     --trace FILE                                       states of the model's parts, for Perfetto
///     --grain fine | coarse                              of the model (docs/grain.md)
///     --list                                             what it is, as a line of JSON
///
/// Returns the exit code: 0 done, 1 an output differs from the reference, 2 could not run (one line on stderr), 130
/// after Ctrl-C. `data` is the folder of the installed package's data, where it is not above the program.
int main_of(int argc, char** argv, const Maker& application, const char* data);

/// The same of the application that `--app NAME` chooses of several; `summary` says what the program does.
int main_of_one(int argc, char** argv, std::span<const Maker> applications, const char* summary);

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
