#include "platform/reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "isthmus/base/nearest.hpp"
#include "platform/check.hpp"

namespace isthmus::platform {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;  // a platform has a hundred keys: anything larger is another file

std::string text_of(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) refuse(file.string(), "no such platform file");
  if (!std::filesystem::is_regular_file(status)) refuse(file.string(), "expected a platform file, got something else");
  if (std::filesystem::file_size(file, failure) > kLargestFile)
    refuse(file.string(), "expected a platform file of at most 1 MiB");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) refuse(file.string(), "cannot be read to its end");
  return text;
}

/// A key's part as TOML writes it, so that "a.b" as one part never reads like the parts a and b.
std::string part(std::string_view key) {
  const auto bare = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !key.empty() && std::ranges::all_of(key, bare) ? std::string(key) : fmt::format("\"{}\"", key);
}

std::string_view kind_of(const toml::node& node) {
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

/// The key's last part when the parser's reason is that it stands there twice, else empty.
std::string_view redefined(std::string_view reason) {
  if (reason.find("cannot redefine existing") == std::string_view::npos || !reason.ends_with('\'')) return {};
  reason.remove_suffix(1);
  return reason.substr(reason.rfind('\'') + 1);
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  Contents read() {
    const std::string text = text_of(file_);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
      refuse(file_.string() + ":1", "expected a platform, got an empty file");
    toml::table root = parse(text);
    Contents contents;
    contents.name = name_of(root);
    root.erase("name");
    walk(root, "");
    std::ranges::sort(inputs_, {}, &Input::key);  // keys lie in one array, in the schema's order
    contents.inputs = std::move(inputs_);
    return contents;
  }

 private:
  Place place(int line) const { return fmt::format("{}:{}", file_.string(), std::max(line, 1)); }
  Place place(const toml::node& node) const { return place(static_cast<int>(node.source().begin.line)); }

  toml::table parse(const std::string& text) const {
    try {
      return toml::parse(text, file_.string());
    } catch (const toml::parse_error& error) {
      const Place where = place(static_cast<int>(error.source().begin.line));
      const std::string_view reason = error.description();
      if (const auto name = redefined(reason); !name.empty()) refuse(where, name, "it once", "it again");
      refuse(where, fmt::format("not TOML: {}", reason));
    }
  }

  std::string name_of(const toml::table& root) const {
    const toml::node* node = root.get("name");
    if (node == nullptr) refuse(place(1), "name", "what the platform is called", "nothing");
    const auto* text = node->as_string();
    if (text == nullptr || text->get().empty())
      refuse(place(*node), "name", "what the platform is called", text == nullptr ? kind_of(*node) : "nothing");
    return text->get();
  }

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + part(key.str());
      if (const Key* known = find_key(name))
        inputs_.push_back(read_input(*known, node));
      else if (is_group(name))
        walk(group(node, name), name + ".");
      else
        refuse_unknown(name, node);
    }
  }

  static bool is_group(const std::string& name) {
    return std::ranges::any_of(schema(), [&](const Key& key) { return key.name.starts_with(name + "."); });
  }

  const toml::table& group(const toml::node& node, const std::string& name) const {
    if (!node.is_table()) refuse(place(node), name, "a table of keys", kind_of(node));
    return *node.as_table();
  }

  [[noreturn]] void refuse_unknown(const std::string& name, const toml::node& node) const {
    std::vector<std::string> known;
    for (const Key& key : schema()) known.emplace_back(key.name);
    const std::string near = nearest(name, known);
    refuse(place(node), name, "a key of a platform",
           near.empty() ? "an unknown one" : fmt::format("an unknown one; did you mean '{}'?", near));
  }

  Input read_input(const Key& key, const toml::node& node) const {
    if (!node.is_table()) refuse(place(node), key.name, "{ value = ..., source = ..., role = ... }", kind_of(node));
    const toml::table& table = *node.as_table();
    check_fields(key, table);
    Input input;
    input.key = &key;
    input.line = static_cast<int>(node.source().begin.line);
    input.unit = text(key, table, "unit");
    check_unit(input, place(node));
    input.value = value(key, table, input.unit);
    input.source = text(key, table, "source");
    input.role = text(key, table, "role");
    input.why = text(key, table, "why");
    input.date = text(key, table, "date");
    input.range = range(key, table);
    check_provenance(input, place(node));
    check_value(input, place(node));
    return input;
  }

  void check_fields(const Key& key, const toml::table& table) const {
    static const std::vector<std::string> kFields = {"value", "unit", "source", "role", "range", "why", "date"};
    for (const auto& [field, node] : table) {
      if (std::ranges::find(kFields, field.str()) != kFields.end()) continue;
      refuse(place(node), fmt::format("key '{}': {}", key.name, unknown_name("field", field.str(), kFields)));
    }
  }

  std::string text(const Key& key, const toml::table& table, std::string_view field) const {
    const toml::node* node = table.get(field);
    if (node == nullptr) return {};
    if (!node->is_string()) refuse(place(*node), key.name, fmt::format("{} = \"...\"", field), kind_of(*node));
    return node->as_string()->get();
  }

  std::variant<double, bool> value(const Key& key, const toml::table& table, const std::string& unit) const {
    const std::string expected = expectation(key, find_unit(key.kind, unit));
    const toml::node* node = table.get("value");
    if (node == nullptr) refuse(place(table), key.name, expected, "no value");
    if (key.kind == Kind::flag) {
      if (!node->is_boolean()) refuse(place(*node), key.name, expected, kind_of(*node));
      return node->as_boolean()->get();
    }
    if (!node->is_number()) refuse(place(*node), key.name, expected, kind_of(*node));
    return node->value_or(0.0);
  }

  std::optional<std::pair<double, double>> range(const Key& key, const toml::table& table) const {
    const toml::node* node = table.get("range");
    if (node == nullptr) return std::nullopt;
    const toml::array* ends = node->as_array();
    if (key.kind == Kind::flag || ends == nullptr || ends->size() != 2 || !(*ends)[0].is_number() ||
        !(*ends)[1].is_number())
      refuse(place(*node), key.name, key.kind == Kind::flag ? "no range" : "range = [LOW, HIGH]", kind_of(*node));
    return std::pair{(*ends)[0].value_or(0.0), (*ends)[1].value_or(0.0)};
  }

  const std::filesystem::path& file_;
  std::vector<Input> inputs_;
};

}  // namespace

Contents read(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace isthmus::platform
