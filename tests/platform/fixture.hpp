#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform::testing {

/// The text of platforms/aws-f1.toml, which each test breaks in its own way.
std::string f1();

/// `text` with `before`, which must be in it, replaced once.
std::string replaced(std::string text, const std::string& before, const std::string& after);

/// The text of F1 with the whole line of the first key `key` after the table header `table` replaced.
std::string f1_with(const std::string& table, const std::string& key, const std::string& line);

/// A file called `name` in a folder of this process that holds `text`.
std::filesystem::path written(const std::string& text, const std::string& name);

/// `message` without the names of that folder.
std::string without_folder(std::string message);

/// Loads `text` from a file called platform.toml, as a board of these kinds.
Description load_text(const std::string& text, const std::vector<std::string>& overrides = {}, Schema kinds = schema());

/// What load_text says of `text`, the folder before "platform.toml" cut off; "" when it loads.
std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}, Schema kinds = schema());

const Input& input(const Description& description, std::string_view key);

/// The line, from 1, of `part` in `text`.
int line_of(const std::string& text, const std::string& part);

}  // namespace isthmus::platform::testing
