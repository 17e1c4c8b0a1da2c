#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

namespace isthmus::bench {

/// Parses the command line and returns what `body` does; an error is one line on stderr and exit code 2. Unlike the
/// tools' `run` it leaves Ctrl-C alone, which ends a benchmark at once.
template <class Body>
int run_main(CLI::App& app, int argc, char** argv, const Body& body) {
  try {
    app.parse(argc, argv);
    return body();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "error: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return 2;
}

}  // namespace isthmus::bench
