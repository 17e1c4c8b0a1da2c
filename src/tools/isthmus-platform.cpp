// Prints what a platform file says, every number with its source and role, as JSON lines.
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"
#include "tools/tool.hpp"

namespace {

void print_platform(const std::string& target, const std::vector<std::string>& set) {
  using namespace isthmus;
  tools::Record record{{"event", "platform"}};
  record.update(platform::to_json(platform::load(platform::file_of(target), set)));
  tools::print(record);
}

void print_keys() {
  using namespace isthmus;
  for (const platform::Key& key : platform::schema()) {
    tools::Record record{{"event", "key"}};
    record.update(platform::to_json(key));
    tools::print(record);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace isthmus;
  CLI::App app("Prints what a platform file says, every number with its source and role, as JSON lines.");
  std::string target;
  std::vector<std::string> set;
  bool list = false;
  bool keys = false;
  auto* given = app.add_option("TARGET", target, "model:NAME, or a path that ends in .toml");
  app.add_option("--set", set, "KEY=VALUE in place of what the file says; may be repeated")->expected(1)->take_all();
  app.add_flag("--list", list, "every platform that model:NAME accepts")->excludes(given);
  app.add_flag("--keys", keys, "every key that a file may hold, with what it may be in base units")->excludes(given);
  return tools::run(app, argc, argv, [&] {
    if (!list && !keys && target.empty())
      throw Error("TARGET: expected model:NAME, a path that ends in .toml, --list or --keys");
    if (keys) print_keys();
    if (list)
      for (const std::string& name : platform::names()) print_platform("model:" + name, set);
    else if (!keys)
      print_platform(target, set);
    return tools::kDone;
  });
}
