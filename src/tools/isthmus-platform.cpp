// Prints what a platform file says, every number with its source and role, as JSON lines.
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

void print_keys() {
  for (const platform::Key& key : platform::schema()) {
    tools::Record record{{"event", "key"}};
    record.update(platform::to_json(key));
    tools::print(record);
  }
}

void print_steps(const platform::Description& description) {
  for (const auto& input : description.inputs()) {
    const auto next = platform::next_values(description, input);
    tools::print({{"event", "steps"}, {"key", input.key->name}, {"faster", next.faster}, {"slower", next.slower}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints what a platform file says, every number with its source and role, as JSON lines.");
  std::string target;
  std::vector<std::string> set;
  bool list = false;
  bool keys = false;
  bool steps = false;
  auto* given = app.add_option("TARGET", target, "model:NAME, or a path that ends in .toml");
  app.add_option("--set", set, "KEY=VALUE in place of what the file says; may be repeated")->expected(1)->take_all();
  app.add_flag("--list", list, "every platform that model:NAME accepts")->excludes(given);
  app.add_flag("--keys", keys, "every key that a file may hold, with what it may be in base units")->excludes(given);
  app.add_flag("--steps", steps, "of TARGET instead the values of each key that lie one step from its own");
  return tools::run(app, argc, argv, [&] {
    if (!list && !keys && target.empty())
      throw Error("TARGET: expected model:NAME, a path that ends in .toml, --list or --keys");
    if (keys) print_keys();
    if (list)
      for (const std::string& name : platform::names())
        print_platform(platform::load(platform::file_of("model:" + name), set));
    if (target.empty()) return tools::kDone;
    const auto description = platform::load(platform::file_of(target), set);
    steps ? print_steps(description) : print_platform(description);
    return tools::kDone;
  });
}
