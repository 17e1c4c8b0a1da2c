#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "platform/refuse.hpp"

namespace isthmus::platform {

/// A TOML file that is read and checked: where things stand in it.
class Document {
 public:
  /// Throws Error with file and line where it cannot be read, is empty or no TOML; `what` is what it describes, for
  /// messages: "platform".
  Document(const std::filesystem::path& file, std::string_view what);

  const std::filesystem::path& file() const { return file_; }
  const toml::table& root() const { return root_; }
  /// Tells whether it has lists of nodes, boards or wires: what no platform has.
  bool names_system() const;
  /// The value of `name = "..."` at its head, which must be there.
  std::string name() const;
  Place place(int line) const { return file_.string() + ":" + std::to_string(std::max(line, 1)); }
  Place place(const toml::node& node) const { return place(static_cast<int>(node.source().begin.line)); }
  /// The text of a bare word: a name that commands can take. `key` is what holds it.
  std::string word(const toml::node& node, std::string_view key) const;

 private:
  toml::table parse(const std::string& text) const;

  std::filesystem::path file_;
  std::string what_;
  toml::table root_;
};

/// A key's part as TOML writes it, so that "a.b" as one part never reads like the parts a and b.
std::string part(std::string_view key);

/// "a bare integer": what stands where something else should.
std::string_view type_of(const toml::node& node);

}  // namespace isthmus::platform
