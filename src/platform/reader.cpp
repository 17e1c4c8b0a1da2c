#include "platform/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isthmus/base/nearest.hpp"
#include "isthmus/engine/report.hpp"
#include "platform/check.hpp"
#include "platform/document.hpp"

namespace isthmus::platform {
namespace {

/// The part of application descriptions, whose keys are given with those of boards.
constexpr std::string_view kReserved = "app";

class Reader {
 public:
  Reader(const std::filesystem::path& file, Schema schema) : document_(file, "platform"), schema_(schema) {}

  Contents read() {
    if (document_.names_system()) refuse(place(1), "expected a platform, which is one board, got a system of boards");
    Contents contents;
    contents.name = document_.name();
    for (const auto& [word, node] : document_.root())
      if (word.str() != "name") walk(node, part(word.str()));
    if (parts_.empty()) refuse(place(1), "expected a board of parts, got none");
    std::ranges::sort(parts_, [this](const Section& a, const Section& b) { return before(a, b); });
    contents.parts = std::move(parts_);
    return contents;
  }

 private:
  template <class Where>
  Place place(const Where& where) const {
    return document_.place(where);
  }

  /// In the order of the schema, those of one kind by name.
  bool before(const Section& a, const Section& b) const {
    const auto rank = [this](const Section& each) { return std::ranges::find(schema_, &each.kind()); };
    return rank(a) != rank(b) ? rank(a) < rank(b) : natural_less(a.name(), b.name());
  }

  /// A part, or a table of nothing but parts.
  void walk(const toml::node& node, const std::string& name) {
    const toml::table* table = node.as_table();
    const PartKind* kind = table != nullptr ? kind_of(*table, name) : nullptr;
    if (table == nullptr || (kind == nullptr && !holds_tables(*table))) refuse_section(node, name);
    if (kind != nullptr && !is_group(*table, *kind)) return read_part(*table, name, *kind);
    for (const auto& [word, inner] : *table) walk(inner, name + "." + part(word.str()));
  }

  /// The kind that `kind = "..."` names, else the kind of which that is the usual section, else the last word's; null
  /// where that is no kind.
  const PartKind* kind_of(const toml::table& table, const std::string& name) const {
    const toml::node* node = table.get("kind");
    if (node == nullptr || node->is_table()) {
      const auto usual = std::ranges::find(schema_, name, &PartKind::section);
      return usual != schema_.end() ? *usual : find_kind(schema_, name.substr(name.rfind('.') + 1));
    }
    const std::string said = document_.word(*node, name + ".kind");
    if (const PartKind* kind = find_kind(schema_, said)) return kind;
    std::vector<std::string> known;
    for (const PartKind* kind : schema_) known.emplace_back(kind->name());
    const std::string near = nearest(said, known);
    refuse(place(*node), name + ".kind", fmt::format("a kind of part ({})", fmt::join(known, ", ")),
           near.empty() ? fmt::format("'{}'", said) : fmt::format("'{}'; did you mean '{}'?", said, near));
  }

  /// A table in whose place a value { ... } cannot stand: its header's.
  static bool is_header(const toml::node& node) { return node.is_table() && !node.as_table()->is_inline(); }

  static bool holds_tables(const toml::table& table) {
    return !table.empty() && std::ranges::all_of(table, [](const auto& each) { return is_header(each.second); });
  }

  /// Tells whether a table whose name is a kind's holds other parts, such as [kernel.first], and nothing of a part.
  static bool is_group(const toml::table& table, const PartKind& kind) {
    return holds_tables(table) && std::ranges::none_of(table, [&kind](const auto& each) {
             return find_key(kind, each.first.str()) != nullptr;
           });
  }

  bool names_part(const toml::node& node, const std::string& name) const {
    return is_header(node) && kind_of(*node.as_table(), name) != nullptr;
  }

  [[noreturn]] void refuse_section(const toml::node& node, const std::string& name) const {
    std::vector<std::string> sections;
    for (const PartKind* kind : schema_) sections.emplace_back(kind->section);
    const std::string near = nearest(name, sections);
    const std::string got = node.is_table() ? "neither" : std::string(type_of(node));
    refuse(place(node), name, "a part, whose kind is its last word or kind = \"...\"",
           near.empty() ? got : fmt::format("{}; did you mean '{}'?", got, near));
  }

  /// A part, and those whose names begin with its own: [cpu.l2] with the keys of [cpu].
  void read_part(const toml::table& table, const std::string& name, const PartKind& kind) {
    if (name == kReserved || name.starts_with(std::string(kReserved) + "."))
      refuse(place(table), name, "another name", fmt::format("'{}', which keys of descriptions begin with", kReserved));
    if (name.find('"') != std::string::npos)
      refuse(place(table), name, "a part named by letters, digits, '-' and '_'", "another sign");
    const toml::node* channel = kind.link ? table.get("channel") : nullptr;
    std::string called = kind.link ? name.substr(name.rfind('.') + 1) : "";
    if (channel != nullptr) called = document_.word(*channel, name + ".channel");
    Section section(kind, name, std::move(called), place(table));
    for (const auto& [key, node] : table) {
      const std::string_view last = key.str();
      if (const Key* known = find_key(kind, last))
        section.put(read_input(*known, section.name_of(last), node));
      else if (names_part(node, section.name_of(part(last))))
        walk(node, section.name_of(part(last)));
      else if (last != "kind" && &node != channel)
        refuse_unknown(section, last, node);
    }
    parts_.push_back(std::move(section));
  }

  [[noreturn]] void refuse_unknown(const Section& section, std::string_view last, const toml::node& node) const {
    const std::string name = section.name_of(part(last));
    const std::string near = nearest(name, keys_of({section}));
    refuse(place(node), name, fmt::format("a key of a part of kind {}", section.kind().name()),
           near.empty() ? "an unknown one" : fmt::format("an unknown one; did you mean '{}'?", near));
  }

  Input read_input(const Key& key, const std::string& name, const toml::node& node) const {
    if (!node.is_table()) refuse(place(node), name, "{ value = ..., source = ..., role = ... }", type_of(node));
    const toml::table& table = *node.as_table();
    check_fields(name, table);
    Input input;
    input.key = &key;
    input.name = name;
    input.line = static_cast<int>(node.source().begin.line);
    input.unit = text(name, table, "unit");
    check_unit(input, place(node));
    input.value = value(key, name, table);
    input.source = text(name, table, "source");
    input.role = text(name, table, "role");
    input.why = text(name, table, "why");
    input.date = text(name, table, "date");
    input.range = range(key, name, table);
    check_provenance(input, place(node));
    check_value(input, place(node));
    return input;
  }

  void check_fields(const std::string& name, const toml::table& table) const {
    static const std::vector<std::string> kFields = {"value", "unit", "source", "role", "range", "why", "date"};
    for (const auto& [field, node] : table) {
      if (std::ranges::find(kFields, field.str()) != kFields.end()) continue;
      refuse(place(node), fmt::format("key '{}': {}", name, unknown_name("field", field.str(), kFields)));
    }
  }

  std::string text(const std::string& name, const toml::table& table, std::string_view field) const {
    const toml::node* node = table.get(field);
    if (node == nullptr) return {};
    if (!node->is_string()) refuse(place(*node), name, fmt::format("{} = \"...\"", field), type_of(*node));
    return node->as_string()->get();
  }

  std::variant<double, bool, std::string> value(const Key& key, const std::string& name,
                                                const toml::table& table) const {
    const std::string expected = expectation(key);
    const toml::node* node = table.get("value");
    if (node == nullptr) refuse(place(table), name, expected, "no value");
    if (key.quantity == Quantity::flag) {
      if (!node->is_boolean()) refuse(place(*node), name, expected, type_of(*node));
      return node->as_boolean()->get();
    }
    if (key.quantity == Quantity::text) {
      if (!node->is_string()) refuse(place(*node), name, expected, type_of(*node));
      return node->as_string()->get();
    }
    if (!node->is_number()) refuse(place(*node), name, expected, type_of(*node));
    return node->value_or(0.0);
  }

  std::optional<std::pair<double, double>> range(const Key& key, const std::string& name,
                                                 const toml::table& table) const {
    const toml::node* node = table.get("range");
    if (node == nullptr) return std::nullopt;
    const toml::array* ends = node->as_array();
    const bool number = key.quantity != Quantity::flag && key.quantity != Quantity::text;
    if (!number || ends == nullptr || ends->size() != 2 || !(*ends)[0].is_number() || !(*ends)[1].is_number())
      refuse(place(*node), name, number ? "range = [LOW, HIGH]" : "no range", type_of(*node));
    return std::pair{(*ends)[0].value_or(0.0), (*ends)[1].value_or(0.0)};
  }

  Document document_;
  Schema schema_;
  std::vector<Section> parts_;
};

}  // namespace

Contents read(const std::filesystem::path& file, Schema schema) {
  return Reader(file, schema).read();
}

}  // namespace isthmus::platform
