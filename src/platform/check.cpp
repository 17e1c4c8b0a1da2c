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

bool whole(Quantity quantity) {
  return quantity == Quantity::count || quantity == Quantity::cycles || quantity == Quantity::bytes;
}

bool power_of_two(double number) {
  return std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::string unit_names(Quantity quantity) {
  std::vector<std::string_view> unit_list;
  for (const Unit& unit : units_of(quantity)) unit_list.push_back(unit.name);
  return fmt::format("{}", fmt::join(unit_list, ", "));
}

void check_complete(const Section& part) {
  for (const Key& key : part.kind().keys) {
    if (part.has(key.name) || key.rules.may_be_left_out) continue;
    if (!key.rules.when.empty() && part.has(key.rules.when) && !part.flag(key.rules.when)) continue;
    refuse(part.place(), part.name_of(key.name), expectation(key), fmt::format("nothing ({})", key.meaning));
  }
}

/// Refuses a second part where a board may have one, and two links of one name.
void check_beside(const Section& part, const Section& before) {
  if (&part.kind() == &before.kind() && !part.kind().several)
    refuse(part.place(), part.name(), fmt::format("one part of kind {}", part.kind().name()),
           fmt::format("a second beside {}", before.name()));
  if (part.kind().link && before.kind().link && part.channel() == before.channel())
    refuse(part.place(), part.name_of("channel"), "a name of its own",
           fmt::format("'{}', which {} has as well", part.channel(), before.name()));
}

struct TermSide {
  const Term& term;
  const Section& part;
  const Input& input;

  double value() const { return term.factor * input.base(); }
  std::string text() const { return term.factor == 1 ? input.name : fmt::format("{:g} x {}", term.factor, input.name); }
};

void check_relation(const TermSide& lesser, const TermSide& greater) {
  if (lesser.value() <= greater.value() * (1 + 1e-9)) return;
  const TermSide& blamed = greater.input.line == 0 && lesser.input.line != 0 ? greater : lesser;
  refuse(blamed.part.place_of(blamed.input.key->name), blamed.input.name,
         fmt::format("{} <= {}", lesser.text(), greater.text()),
         fmt::format("{} and {}", show(lesser.input), show(greater.input)));
}

/// Checks all parts that have both keys.
void check_relation(const Relation& relation, const std::vector<Section>& parts) {
  for (const Section& lesser : parts) {
    const Input* small = lesser.kind().name() == relation.lesser.kind ? lesser.find(relation.lesser.key) : nullptr;
    if (small == nullptr) continue;
    for (const Section& greater : parts) {
      if (&lesser.kind() == &greater.kind() && &lesser != &greater) continue;
      const Input* large =
          greater.kind().name() == relation.greater.kind ? greater.find(relation.greater.key) : nullptr;
      if (large != nullptr) check_relation({relation.lesser, lesser, *small}, {relation.greater, greater, *large});
    }
  }
}

}  // namespace

std::string show(const Input& input) {
  if (const bool* flag = std::get_if<bool>(&input.value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&input.value)) return fmt::format("'{}'", *text);
  return fmt::format("{}{}{}", std::get<double>(input.value), input.unit.empty() ? "" : " ", input.unit);
}

void check_unit(const Input& input, const Place& place) {
  const Quantity quantity = input.key->quantity;
  if (units_of(quantity).empty()) {
    if (!input.unit.empty()) refuse(place, input.name, "no unit", fmt::format("'{}'", input.unit));
  } else if (find_unit(quantity, input.unit) == nullptr) {
    refuse(place, input.name, fmt::format("a unit ({})", unit_names(quantity)),
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
  const Unit* unit = find_unit(input.key->quantity, input.unit);
  const double scale = unit != nullptr ? unit->scale : 1;
  const auto [low, high] = own;
  if (!(low <= high))
    refuse(place, input.name, "range = [LOW, HIGH] with LOW <= HIGH", fmt::format("[{}, {}]", low, high));
  if (!within(*input.key, low * scale) || !within(*input.key, high * scale))
    refuse(place, input.name, fmt::format("a range within {}", expected), fmt::format("[{}, {}]", low, high));
  const double number = std::get<double>(input.value);
  if (!(number >= low && number <= high))
    refuse(place, input.name, fmt::format("a value in its own range {}..{}", low, high),
           fmt::format("{}; help: widen 'range' beside it, up to {}", show(input), expected));
}

}  // namespace

void check_value(const Input& input, const Place& place) {
  const Key& key = *input.key;
  if (key.quantity == Quantity::flag) return;
  if (const auto* text = std::get_if<std::string>(&input.value)) {
    if (std::ranges::find(key.rules.choices, *text) == key.rules.choices.end())
      refuse(place, input.name, expectation(key), show(input));
    return;
  }
  const double base = input.base();
  const std::string expected = expectation(key);
  if (!within(key, base)) refuse(place, input.name, expected, show(input));
  if (whole(key.quantity) && base != std::floor(base))
    refuse(place, input.name, key.quantity == Quantity::bytes ? "whole bytes" : "a whole number", show(input));
  if (key.rules.multiple_of > 0 && std::fmod(base, key.rules.multiple_of) != 0)
    refuse(place, input.name, expected, show(input));
  if (key.rules.power_of_two && !power_of_two(base)) refuse(place, input.name, expected, show(input));
  if (input.range) check_own_range(input, *input.range, place, expected);
}

void check_provenance(const Input& input, const Place& place) {
  const std::string_view key = input.name;
  if (input.source.empty()) refuse(place, key, "source = \"PAPER PLACE\"", "none");
  if (std::ranges::find(kRoles, input.role) == kRoles.end())
    refuse(place, key, fmt::format("role {}", fmt::join(kRoles, ", ")),
           input.role.empty() ? "none" : fmt::format("'{}'", input.role));
  if (input.role != "assumed") return;
  if (!input.range && std::holds_alternative<double>(input.value))
    refuse(place, key, "range = [LOW, HIGH] with role assumed", "none");
  if (input.why.empty()) refuse(place, key, "why = \"REASON\" with role assumed", "none");
}

void check_together(const std::vector<Section>& parts, Schema schema) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    check_complete(parts[at]);
    for (std::size_t before = 0; before < at; ++before) check_beside(parts[at], parts[before]);
  }
  for (const PartKind* kind : schema)
    for (const Relation& relation : kind->relations) check_relation(relation, parts);
}

std::vector<std::string> keys_of(const std::vector<Section>& parts) {
  std::vector<std::string> names;
  for (const Section& part : parts)
    for (const Key& key : part.kind().keys) names.push_back(part.name_of(key.name));
  return names;
}

}  // namespace isthmus::platform
