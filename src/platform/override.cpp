#include "platform/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isthmus/base/nearest.hpp"
#include "platform/check.hpp"

namespace isthmus::platform {
namespace {

const Place kPlace = "--set";

const Key& key_of(const std::string& name) {
  if (const Key* key = find_key(name)) return *key;
  std::vector<std::string> known;
  for (const Key& key : schema()) known.emplace_back(key.name);
  const std::string near = nearest(name, known);
  refuse(kPlace, name, "a key of a platform",
         near.empty() ? "an unknown one" : fmt::format("an unknown one; did you mean '{}'?", near));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

void set_number(Input& input, std::string_view text) {
  double number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{})
    refuse(kPlace, input.key->name, expectation(*input.key, find_unit(input.key->kind, input.unit)),
           fmt::format("'{}'", text));
  const auto unit = trimmed({rest, text.data() + text.size()});
  if (!unit.empty()) input.unit = unit;
  input.value = number;
}

void set_flag(Input& input, std::string_view text) {
  if (text != "true" && text != "false") refuse(kPlace, input.key->name, "true or false", fmt::format("'{}'", text));
  input.value = text == "true";
}

}  // namespace

void apply_override(std::vector<Input>& inputs, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(kPlace, fmt::format("expected KEY=VALUE, got '{}'", text));
  const Key& key = key_of(std::string(trimmed(std::string_view(text).substr(0, equals))));
  auto place = std::ranges::lower_bound(inputs, &key, {}, &Input::key);
  const bool known = place != inputs.end() && place->key == &key;
  Input input;
  input.key = &key;
  input.role = "set";
  if (known) input.unit = place->unit;
  input.source = known ? fmt::format("set by the user; was {} ({}: {})", show(*place), place->role, place->source)
                       : "set by the user";
  const auto value = trimmed(std::string_view(text).substr(equals + 1));
  key.kind == Kind::flag ? set_flag(input, value) : set_number(input, value);
  check_unit(input, kPlace);
  check_value(input, kPlace);
  if (known)
    *place = std::move(input);
  else
    inputs.insert(place, std::move(input));
}

}  // namespace isthmus::platform
