#include "isthmus/platform/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "isthmus/base/error.hpp"
#include "platform/check.hpp"
#include "platform/override.hpp"
#include "platform/reader.hpp"

namespace isthmus::platform {

double Input::base() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  const Unit* written = find_unit(key->kind, unit);
  return std::get<double>(value) * (written != nullptr ? written->scale : 1);
}

Description load(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Contents contents = read(file);
  for (const std::string& text : overrides) apply_override(contents.inputs, text);
  check_together(contents.inputs, file);
  Description description;
  description.name_ = std::move(contents.name);
  description.file_ = file;
  description.inputs_ = std::move(contents.inputs);
  return description;
}

const Input* Description::find(std::string_view key) const {
  const auto found = std::ranges::find_if(inputs_, [key](const Input& input) { return input.key->name == key; });
  return found == inputs_.end() ? nullptr : &*found;
}

const Input& Description::get(std::string_view key, std::initializer_list<Kind> kinds) const {
  const Key* known = find_key(key);
  if (known == nullptr || std::ranges::find(kinds, known->kind) == kinds.end())
    throw std::logic_error(fmt::format("platform key '{}' is unknown or of another kind", key));
  const Input* input = find(key);
  if (input == nullptr) throw Error(fmt::format("{}: key '{}': expected a value, got nothing", file_.string(), key));
  return *input;
}

bool Description::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::int64_t Description::count(std::string_view key) const {
  return std::llround(get(key, {Kind::count, Kind::cycles}).base());
}

Bytes Description::bytes(std::string_view key) const {
  return {std::llround(get(key, {Kind::bytes}).base())};
}

Bandwidth Description::bandwidth(std::string_view key) const {
  return {get(key, {Kind::bandwidth}).base()};
}

Time Description::time(std::string_view key) const {
  return Time::seconds(get(key, {Kind::time}).base());
}

Frequency Description::frequency(std::string_view key) const {
  return Frequency::hz(std::llround(get(key, {Kind::frequency, Kind::transfers}).base()));
}

bool Description::flag(std::string_view key) const {
  return get(key, {Kind::flag}).base() != 0;
}

}  // namespace isthmus::platform
