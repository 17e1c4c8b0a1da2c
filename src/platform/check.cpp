#include "platform/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace isthmus::platform {
namespace {

constexpr std::array kRoles = {"datasheet", "configuration", "calibrated", "assumed"};

bool whole(Kind kind) {
  return kind == Kind::count || kind == Kind::cycles || kind == Kind::bytes;
}

bool power_of_two(double number) {
  return std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::string unit_names(Kind kind) {
  std::vector<std::string_view> unit_list;
  for (const Unit& unit : units_of(kind)) unit_list.push_back(unit.name);
  return fmt::format("{}", fmt::join(unit_list, ", "));
}

/// The line of an input's own place: what the user set has none.
Place place_of(const Input& input, const std::filesystem::path& file) {
  return input.line == 0 ? "--set" : fmt::format("{}:{}", file.string(), input.line);
}

const Input* find(const std::vector<Input>& inputs, std::string_view key) {
  const auto found = std::ranges::find_if(inputs, [key](const Input& input) { return input.key->name == key; });
  return found == inputs.end() ? nullptr : &*found;
}

/// The line of the nearest neighbour of a missing key: the last input whose name shares the longest start with it.
int line_near(const std::vector<Input>& inputs, std::string_view key) {
  int line = 1;
  std::size_t longest = key.find('.');  // at least its outermost table
  for (const Input& input : inputs) {
    const auto differs = std::ranges::mismatch(input.key->name, key).in2;
    const auto shared = static_cast<std::size_t>(differs - key.begin());
    if (shared <= longest || input.line == 0) continue;
    longest = shared;
    line = input.line;
  }
  return line;
}

/// The unit in which a key's range reads best; null for kinds without units.
const Unit* natural_unit(const Key& key) {
  const Unit* best = nullptr;
  for (const Unit& unit : units_of(key.kind))
    if (best == nullptr || unit.scale <= key.high) best = &unit;
  return best;
}

void check_complete(const std::vector<Input>& inputs, const std::filesystem::path& file) {
  for (const Key& key : schema()) {
    if (find(inputs, key.name) != nullptr) continue;
    if (key.may_be_left_out) continue;
    if (!key.when.empty() && find(inputs, key.when)->base() == 0) continue;
    refuse(fmt::format("{}:{}", file.string(), line_near(inputs, key.name)), key.name,
           expectation(key, natural_unit(key)), fmt::format("nothing ({})", key.meaning));
  }
}

std::string term(std::string_view key, double factor) {
  return factor == 1 ? std::string(key) : fmt::format("{:g} x {}", factor, key);
}

}  // namespace

std::string show(const Input& input) {
  if (const bool* flag = std::get_if<bool>(&input.value)) return *flag ? "true" : "false";
  return fmt::format("{}{}{}", std::get<double>(input.value), input.unit.empty() ? "" : " ", input.unit);
}

void check_unit(const Input& input, const Place& place) {
  const Kind kind = input.key->kind;
  if (units_of(kind).empty()) {
    if (!input.unit.empty()) refuse(place, input.key->name, "no unit", fmt::format("'{}'", input.unit));
  } else if (find_unit(kind, input.unit) == nullptr) {
    refuse(place, input.key->name, fmt::format("a unit ({})", unit_names(kind)),
           input.unit.empty() ? "none" : fmt::format("'{}'", input.unit));
  }
}

namespace {

// A relative slack of 1e-9 so that 0.1 GB/s is not refused for being a bit below 1e8 B/s.
bool within(const Key& key, double base) {
  return base >= key.low - 1e-9 * std::fabs(key.low) && base <= key.high + 1e-9 * std::fabs(key.high);
}

void check_own_range(const Input& input, const std::pair<double, double>& own, const Place& place,
                     const std::string& expected) {
  const Unit* unit = find_unit(input.key->kind, input.unit);
  const double scale = unit != nullptr ? unit->scale : 1;
  const auto [low, high] = own;
  if (!(low <= high))
    refuse(place, input.key->name, "range = [LOW, HIGH] with LOW <= HIGH", fmt::format("[{}, {}]", low, high));
  if (!within(*input.key, low * scale) || !within(*input.key, high * scale))
    refuse(place, input.key->name, fmt::format("a range within {}", expected), fmt::format("[{}, {}]", low, high));
  const double number = std::get<double>(input.value);
  if (!(number >= low && number <= high))
    refuse(place, input.key->name, fmt::format("a value in its own range {}..{}", low, high),
           fmt::format("{}; help: widen 'range' beside it, up to {}", show(input), expected));
}

}  // namespace

void check_value(const Input& input, const Place& place) {
  const Key& key = *input.key;
  if (key.kind == Kind::flag) return;
  const double base = input.base();
  const std::string expected = expectation(key, find_unit(key.kind, input.unit));
  if (!within(key, base)) refuse(place, key.name, expected, show(input));
  if (whole(key.kind) && base != std::floor(base))
    refuse(place, key.name, key.kind == Kind::bytes ? "whole bytes" : "a whole number", show(input));
  if (key.power_of_two && !power_of_two(base)) refuse(place, key.name, expected, show(input));
  if (input.range) check_own_range(input, *input.range, place, expected);
}

void check_provenance(const Input& input, const Place& place) {
  const std::string_view key = input.key->name;
  if (input.source.empty()) refuse(place, key, "source = \"PAPER PLACE\"", "none");
  if (std::ranges::find(kRoles, input.role) == kRoles.end())
    refuse(place, key, fmt::format("role {}", fmt::join(kRoles, ", ")),
           input.role.empty() ? "none" : fmt::format("'{}'", input.role));
  if (input.role != "assumed") return;
  if (!input.range && input.key->kind != Kind::flag)
    refuse(place, key, "range = [LOW, HIGH] with role assumed", "none");
  if (input.why.empty()) refuse(place, key, "why = \"REASON\" with role assumed", "none");
}

void check_together(const std::vector<Input>& inputs, const std::filesystem::path& file) {
  check_complete(inputs, file);
  for (const auto& [lesser, lesser_factor, greater, greater_factor] : relations()) {
    const Input& small = *find(inputs, lesser);
    const Input& large = *find(inputs, greater);
    if (lesser_factor * small.base() <= greater_factor * large.base() * (1 + 1e-9)) continue;
    const Input& blamed = large.line == 0 && small.line != 0 ? large : small;
    refuse(place_of(blamed, file), blamed.key->name,
           fmt::format("{} <= {}", term(lesser, lesser_factor), term(greater, greater_factor)),
           fmt::format("{} and {}", show(small), show(large)));
  }
}

}  // namespace isthmus::platform
