// Prints what a platform file says, every number with its source and role, or a system file, as JSON lines.
#include <filesystem>
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

/// Every installed board, and the files that this comes from.
tools::Record all_described() {
  tools::Record boards = tools::Record::object();
  std::vector<std::string> files;
  for (const std::string& name : platform::names()) {
    const auto file = std::filesystem::absolute(platform::file_of("model:" + name));
    boards["model:" + name] = platform::to_json(platform::load(file, {}));
    if (files.empty()) files.push_back(file.parent_path());
    files.push_back(file);
  }
  return {{"platforms", boards}, {"made_of", files}};
}

int answer(tools::Request& request) {
  const std::string target = request.text("TARGET").value_or("");
  const std::vector<std::string> set = request.assignments("set");
  const bool keys = request.flag("keys");
  const bool steps = request.flag("steps");
  request.refuse_others();
  if (target.empty() && !keys) throw Error("TARGET: expected model:NAME, or a path that ends in .toml");
  if (target.empty()) {
    print_kinds();
    return tools::kDone;
  }
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
}

}  // namespace

int main(int argc, char** argv) {
  return isthmus::tools::run(argc, argv, all_described, answer);
}
