#include "platform/document.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "isthmus/base/nearest.hpp"

namespace isthmus::platform {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;  // such files have a hundred keys: anything larger is another file

/// "; did you mean 'FILE'?" of the file next to a missing one with the most similar name; nothing where none is.
std::string meant(const std::filesystem::path& file) {
  std::error_code failure;
  std::vector<std::string> stems;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure))
    if (entry.path().extension() == file.extension()) stems.push_back(entry.path().stem());
  const std::string near = nearest(file.stem().string(), stems);
  if (near.empty()) return {};
  return fmt::format("; did you mean '{}'?", (file.parent_path() / (near + file.extension().string())).string());
}

std::string text_of(const std::filesystem::path& file, std::string_view what) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) refuse(file.string(), fmt::format("no such {} file{}", what, meant(file)));
  if (!std::filesystem::is_regular_file(status))
    refuse(file.string(), fmt::format("expected a {} file, got something else", what));
  if (std::filesystem::file_size(file, failure) > kLargestFile)
    refuse(file.string(), fmt::format("expected a {} file of at most 1 MiB", what));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) refuse(file.string(), "cannot be read to its end");
  return text;
}

/// The key's last part when the parser's reason is that it stands there twice, else empty.
std::string_view redefined(std::string_view reason) {
  if (reason.find("cannot redefine existing") == std::string_view::npos || !reason.ends_with('\'')) return {};
  reason.remove_suffix(1);
  return reason.substr(reason.rfind('\'') + 1);
}

}  // namespace

std::string part(std::string_view key) {
  const auto bare = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !key.empty() && std::ranges::all_of(key, bare) ? std::string(key) : fmt::format("\"{}\"", key);
}

std::string_view type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::integer:
      return "a bare integer";
    case toml::node_type::floating_point:
      return "a bare number";
    default:
      return "a date or time";
  }
}

Document::Document(const std::filesystem::path& file, std::string_view what) : file_(file), what_(what) {
  const std::string text = text_of(file_, what_);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(place(1), fmt::format("expected a {}, got an empty file", what_));
  root_ = parse(text);
}

toml::table Document::parse(const std::string& text) const {
  try {
    return toml::parse(text, file_.string());
  } catch (const toml::parse_error& error) {
    const Place where = place(static_cast<int>(error.source().begin.line));
    const std::string_view reason = error.description();
    if (const auto name = redefined(reason); !name.empty()) refuse(where, name, "it once", "it again");
    refuse(where, fmt::format("not TOML: {}", reason));
  }
}

bool Document::names_system() const {
  return std::ranges::any_of(std::array{"node", "board", "wire"},
                             [this](const char* key) { return root_[key].is_array(); });
}

std::string Document::name() const {
  const std::string expected = fmt::format("what the {} is called", what_);
  const toml::node* node = root_.get("name");
  if (node == nullptr) refuse(place(1), "name", expected, "nothing");
  const auto* text = node->as_string();
  if (text == nullptr || text->get().empty())
    refuse(place(*node), "name", expected, text == nullptr ? type_of(*node) : "nothing");
  return text->get();
}

std::string Document::word(const toml::node& node, std::string_view key) const {
  const auto* text = node.as_string();
  if (text == nullptr || text->get().empty() || part(text->get()) != text->get())
    refuse(place(node), key, "a name of letters, digits, '-' and '_'",
           text == nullptr ? std::string(type_of(node)) : fmt::format("'{}'", text->get()));
  return text->get();
}

}  // namespace isthmus::platform
