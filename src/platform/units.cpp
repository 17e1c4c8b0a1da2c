#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isthmus/platform/schema.hpp"

namespace isthmus::platform {

std::span<const Unit> units_of(Kind kind) {
  static constexpr std::array<Unit, 1> kCycles{{{"cycles", 1}}};
  static constexpr std::array<Unit, 5> kBytes{
      {{"bit", 0.125}, {"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}}};
  static constexpr std::array<Unit, 3> kBandwidth{{{"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}}};
  static constexpr std::array<Unit, 5> kTime{{{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  static constexpr std::array<Unit, 4> kFrequency{{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  static constexpr std::array<Unit, 2> kTransfers{{{"MT/s", 1e6}, {"GT/s", 1e9}}};
  switch (kind) {
    case Kind::cycles:
      return kCycles;
    case Kind::bytes:
      return kBytes;
    case Kind::bandwidth:
      return kBandwidth;
    case Kind::time:
      return kTime;
    case Kind::frequency:
      return kFrequency;
    case Kind::transfers:
      return kTransfers;
    case Kind::count:
    case Kind::flag:
      break;
  }
  return {};
}

const Unit* find_unit(Kind kind, std::string_view name) {
  const auto units = units_of(kind);
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

std::string expectation(const Key& key, const Unit* unit) {
  if (key.kind == Kind::flag) return "true or false";
  const double scale = unit != nullptr ? unit->scale : 1;
  return fmt::format("{}{:.6g}..{:.6g}{}{}", key.power_of_two ? "a power of two in " : "", key.low / scale,
                     key.high / scale, unit != nullptr ? " " : "", unit != nullptr ? unit->name : "");
}

}  // namespace isthmus::platform
