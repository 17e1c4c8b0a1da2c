#include "platform/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/refusal.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/base/data_file.hpp"

namespace isthmus::platform::testing {
std::filesystem::path written(const std::string& text, const std::string& name) {
  static const TemporaryFolder folder;
  return folder.written(name, text);
}

std::string without_folder(std::string message) {
  const std::string folder = written("", "folder").parent_path().string() + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

std::string f1() {
  return read_text(data_file("platforms/aws-f1.toml"));
}

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const auto place = text.find(before);
  EXPECT_NE(place, std::string::npos) << before;
  return place == std::string::npos ? text : text.replace(place, before.size(), after);
}

std::string f1_with(const std::string& table, const std::string& key, const std::string& line) {
  std::string text = f1();
  const auto header = text.find("[" + table + "]\n");
  const auto begin = text.find("\n" + key + " = ", header) + 1;
  EXPECT_NE(header, std::string::npos) << table;
  EXPECT_NE(begin, 0U) << key;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

const Input& input(const Description& description, std::string_view key) {
  for (const Input& candidate : description.inputs())
    if (candidate.name == key) return candidate;
  throw std::logic_error(std::string(key));
}

Description load_text(const std::string& text, const std::vector<std::string>& overrides, Schema schema) {
  return load(written(text, "platform.toml"), overrides, schema);
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides, Schema schema) {
  return without_folder(isthmus::refusal([&] { load_text(text, overrides, schema); }));
}

int line_of(const std::string& text, const std::string& part) {
  const auto place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n')) + 1;
}

}  // namespace isthmus::platform::testing
