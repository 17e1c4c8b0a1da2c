#include "isthmus/platform/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "platform/refuse.hpp"

namespace isthmus::platform {

double Input::base() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* text = std::get_if<std::string>(&value))
    return static_cast<double>(std::ranges::find(key->rules.choices, *text) - key->rules.choices.begin());
  const Unit* written = find_unit(key->quantity, unit);
  return std::get<double>(value) * (written != nullptr ? written->scale : 1);
}

std::string Section::name_of(std::string_view key) const {
  return fmt::format("{}.{}", name_, key);
}

std::string Section::place_of(std::string_view key) const {
  const Input* input = find(key);
  if (input == nullptr) return place_;
  return input->line == 0 ? "--set" : fmt::format("{}:{}", place_.substr(0, place_.rfind(':')), input->line);
}

const Input* Section::find(std::string_view key) const {
  const auto found = std::ranges::find_if(inputs_, [key](const Input& input) { return input.key->name == key; });
  return found == inputs_.end() ? nullptr : &*found;
}

void Section::put(Input input) {
  // Keys lie in one array, in the order of the kind's table.
  const auto place = std::ranges::lower_bound(inputs_, input.key, {}, &Input::key);
  if (place != inputs_.end() && place->key == input.key)
    *place = std::move(input);
  else
    inputs_.insert(place, std::move(input));
}

const Input& Section::get(std::string_view key, std::initializer_list<Quantity> quantities) const {
  const Key* known = find_key(*kind_, key);
  if (known == nullptr || std::ranges::find(quantities, known->quantity) == quantities.end())
    throw std::logic_error(
        fmt::format("key '{}' of a part of kind {} is unknown or of another quantity", key, kind_->name()));
  const Input* input = find(key);
  if (input == nullptr) refuse(place_, name_of(key), "a value", "nothing");
  return *input;
}

int Section::count(std::string_view key) const {
  return static_cast<int>(std::lround(get(key, {Quantity::count, Quantity::cycles}).base()));
}

Bytes Section::bytes(std::string_view key) const {
  return {std::llround(get(key, {Quantity::bytes}).base())};
}

Bandwidth Section::bandwidth(std::string_view key) const {
  return {get(key, {Quantity::bandwidth}).base()};
}

Time Section::time(std::string_view key) const {
  return Time::seconds(get(key, {Quantity::time}).base());
}

Frequency Section::frequency(std::string_view key) const {
  return Frequency::hz(std::llround(get(key, {Quantity::frequency, Quantity::transfers}).base()));
}

bool Section::flag(std::string_view key) const {
  return get(key, {Quantity::flag}).base() != 0;
}

std::string_view Section::text(std::string_view key) const {
  return std::get<std::string>(get(key, {Quantity::text}).value);
}

}  // namespace isthmus::platform
