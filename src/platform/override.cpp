#include "platform/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isthmus/base/nearest.hpp"
#include "isthmus/platform/description.hpp"
#include "platform/check.hpp"

namespace isthmus::platform {
namespace {

const Place kPlace = "--set";

[[noreturn]] void refuse_unknown(const std::vector<Section>& parts, const std::string& name,
                                 const std::string& expected, const std::string& got) {
  const std::string near = nearest(name, keys_of(parts));
  refuse(kPlace, name, expected, near.empty() ? got : fmt::format("{}; did you mean '{}'?", got, near));
}

Section& part_of(std::vector<Section>& parts, const std::string& name) {
  const std::string section = name.substr(0, name.rfind('.'));
  const auto found = std::ranges::find(parts, section, &Section::name);
  if (found == parts.end() || name.find('.') == std::string::npos)
    refuse_unknown(parts, name, fmt::format("a key of the board's parts ({})", names_of(parts)), "an unknown one");
  return *found;
}

const Key& key_of(const std::vector<Section>& parts, const Section& part, const std::string& name) {
  if (const Key* key = find_key(part.kind(), std::string_view(name).substr(part.name().size() + 1))) return *key;
  refuse_unknown(parts, name, fmt::format("a key of a part of kind {}", part.kind().name()), "an unknown one");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

void set_number(Input& input, std::string_view text) {
  double number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) refuse(kPlace, input.name, expectation(*input.key), fmt::format("'{}'", text));
  const auto unit = trimmed({rest, text.data() + text.size()});
  if (!unit.empty()) input.unit = unit;
  input.value = number;
}

void set_flag(Input& input, std::string_view text) {
  if (text != "true" && text != "false") refuse(kPlace, input.name, "true or false", fmt::format("'{}'", text));
  input.value = text == "true";
}

void set_value(Input& input, std::string_view text) {
  if (input.key->quantity == Quantity::flag)
    set_flag(input, text);
  else if (input.key->quantity == Quantity::text)
    input.value = std::string(text);
  else
    set_number(input, text);
}

}  // namespace

void apply_override(std::vector<Section>& parts, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(kPlace, fmt::format("expected KEY=VALUE, got '{}'", text));
  const std::string name(trimmed(std::string_view(text).substr(0, equals)));
  Section& part = part_of(parts, name);
  Input input;
  input.key = &key_of(parts, part, name);
  input.name = name;
  input.role = "set";
  const Input* known = part.find(input.key->name);
  if (known != nullptr) input.unit = known->unit;
  input.source = known != nullptr
                     ? fmt::format("set by the user; was {} ({}: {})", show(*known), known->role, known->source)
                     : "set by the user";
  set_value(input, trimmed(std::string_view(text).substr(equals + 1)));
  check_unit(input, kPlace);
  check_value(input, kPlace);
  part.put(std::move(input));
}

}  // namespace isthmus::platform
