// Prints what a platform file says, every number with its source and role, as JSON lines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"

namespace {

struct Options {
  std::string target;
  std::vector<std::string> set;
  bool list = false;
};

void print_platform(const std::filesystem::path& file, const std::vector<std::string>& set) {
  nlohmann::ordered_json record{{"event", "platform"}};
  record.update(isthmus::platform::to_json(isthmus::platform::load(file, set)));
  fmt::print("{}\n", record.dump());
}

void run(const Options& options) {
  if (options.list) {
    for (const std::string& name : isthmus::platform::names())
      print_platform(isthmus::platform::file_of("model:" + name), options.set);
  } else {
    print_platform(isthmus::platform::file_of(options.target), options.set);
  }
  if (std::fflush(stdout) != 0) throw isthmus::Error("standard output: cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints what a platform file says, every number with its source and role.");
  Options options;
  auto* target = app.add_option("TARGET", options.target, "model:NAME, or a path that ends in .toml");
  app.add_option("--set", options.set, "KEY=VALUE in place of what the file says; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_flag("--list", options.list, "every platform that model:NAME accepts")->excludes(target);
  try {
    app.parse(argc, argv);
    if (!options.list && options.target.empty()) throw isthmus::Error("expected TARGET or --list");
    run(options);
    return 0;
  } catch (const CLI::CallForHelp&) {
    return app.exit(CLI::CallForHelp());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
