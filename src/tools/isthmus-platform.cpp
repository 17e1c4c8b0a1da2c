// Prints what a platform file says, every number with its source and role, or a system file, as JSON lines.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/platform/next.hpp"
#include "tools/tool.hpp"

namespace {

using namespace isthmus;

void print_platform(const platform::Description& description) {
  tools::Record record{{"event", "platform"}};
  record.update(platform::to_json(description));
  tools::print(record);
}

void print_system(const platform::System& system) {
  tools::Record record{{"event", "system"}};
  record.update(platform::to_json(system));
  tools::print(record);
}

void print_keys(const platform::PartKind& kind, const std::string& section) {
  for (const platform::Key& key : kind.keys) {
    tools::Record record{{"event", "key"}};
    record.update(platform::to_json(kind, section, key));
    tools::print(record);
  }
}

void print_kinds() {
  for (const platform::PartKind* kind : platform::schema()) {
    tools::Record record{{"event", "kind"}};
    record.update(platform::to_json(*kind));
    tools::print(record);
    print_keys(*kind, std::string(kind->section));
  }
}

void print_steps(const platform::Description& description) {
  for (const auto& input : description.inputs()) {
    const auto next = platform::next_values(description, input);
    tools::print({{"event", "steps"}, {"key", input.name}, {"faster", next.faster}, {"slower", next.slower}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Prints what a platform file says, every number with its source and role, or a system file, as JSON lines.");
  std::string target;
  std::vector<std::string> set;
  bool list = false;
  bool keys = false;
  bool steps = false;
  auto* given = app.add_option("TARGET", target, "model:NAME, or a path that ends in .toml");
  app.add_option("--set", set, "KEY=VALUE: replace a number of the file; may be repeated")->expected(1)->take_all();
  app.add_flag("--list", list, "list every platform that model:NAME accepts")->excludes(given);
  app.add_flag(
      "--keys", keys,
      "list the kinds of parts and every key that a file may hold, with its range in base units; with TARGET only "
      "the keys of its parts");
  app.add_flag("--steps", steps, "list the values of each key of TARGET that lie one step from its own");
  return tools::run(app, argc, argv, [&] {
    if (!list && !keys && target.empty())
      throw Error("TARGET: expected model:NAME, a path that ends in .toml, --list or --keys");
    if (keys && target.empty()) print_kinds();
    if (list)
      for (const std::string& name : platform::names())
        print_platform(platform::load(platform::file_of("model:" + name), set));
    if (target.empty()) return tools::kDone;
    const auto file = platform::file_of(target);
    if (!keys && !steps && platform::is_system(file)) {
      print_system(platform::load_system(file, set));
      return tools::kDone;
    }
    const auto description = platform::load(file, set);
    if (keys)
      for (const auto& part : description.parts()) print_keys(part.kind(), part.name());
    else if (steps)
      print_steps(description);
    else
      print_platform(description);
    return tools::kDone;
  });
}
