#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "isthmus/platform/schema.hpp"

namespace isthmus::platform {

std::span<const Unit> units_of(Quantity quantity) {
  static constexpr std::array<Unit, 1> kCycles{{{"cycles", 1}}};
  static constexpr std::array<Unit, 5> kBytes{
      {{"bit", 0.125}, {"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}}};
  static constexpr std::array<Unit, 5> kBandwidth{
      {{"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"Mbit/s", 1e6 / 8}, {"Gbit/s", 1e9 / 8}}};
  static constexpr std::array<Unit, 5> kTime{{{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  static constexpr std::array<Unit, 4> kFrequency{{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  static constexpr std::array<Unit, 2> kTransfers{{{"MT/s", 1e6}, {"GT/s", 1e9}}};
  switch (quantity) {
    case Quantity::cycles:
      return kCycles;
    case Quantity::bytes:
      return kBytes;
    case Quantity::bandwidth:
      return kBandwidth;
    case Quantity::time:
      return kTime;
    case Quantity::frequency:
      return kFrequency;
    case Quantity::transfers:
      return kTransfers;
    case Quantity::count:
    case Quantity::flag:
    case Quantity::text:
      break;
  }
  return {};
}

const Unit* find_unit(Quantity quantity, std::string_view name) {
  const auto units = units_of(quantity);
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

namespace {

/// The largest in which `value` is no fraction, or null; messages count in bytes, not in bits.
const Unit* natural_unit(const Key& key, double value) {
  const Unit* best = nullptr;
  for (const Unit& unit : units_of(key.quantity))
    if (unit.name.find("bit") == std::string_view::npos && unit.scale <= value) best = &unit;
  return best;
}

/// The rules of a key for a number besides its range.
std::string besides(const Key& key) {
  if (key.rules.power_of_two) return "a power of two in ";
  if (key.rules.multiple_of == 0) return {};
  const Unit* unit = natural_unit(key, key.rules.multiple_of);
  if (unit == nullptr) return fmt::format("a multiple of {:.6g} in ", key.rules.multiple_of);
  return fmt::format("a multiple of {:.6g} {} in ", key.rules.multiple_of / unit->scale, unit->name);
}

std::string end_of_range(double value, const Unit* unit) {
  return unit == nullptr ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value / unit->scale, unit->name);
}

}  // namespace

std::string expectation(const Key& key) {
  if (key.quantity == Quantity::flag) return "true or false";
  if (key.quantity == Quantity::text) return fmt::format("{}", fmt::join(key.rules.choices, " or "));
  const Unit* low = natural_unit(key, key.low);
  const Unit* high = natural_unit(key, key.high);
  const double first = low == high && low != nullptr ? key.low / low->scale : key.low;
  return fmt::format("{}{}..{}", besides(key), end_of_range(first, low == high ? nullptr : low),
                     end_of_range(key.high, high));
}

}  // namespace isthmus::platform
