#include "program/faults_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

/// The whole of a text as a number.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// Tells whether `text` was a value that it may have, which is then set.
template <double Faults::*kind>
bool set_probability(Faults& faults, std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !(*value >= 0 && *value <= 1)) return false;
  faults.*kind = *value;
  return true;
}

bool set_death(Faults& faults, std::string_view text) {
  const auto value = number<int>(text);
  if (!value || *value < 0) return false;
  faults.die = value;
  return true;
}

struct FaultKind {
  std::string_view name;
  bool (*set)(Faults&, std::string_view);
  std::string_view expected;
};

constexpr std::string_view kProbability = "a probability 0..1";
constexpr std::array kKinds{
    FaultKind{kStall, set_probability<&Faults::stall>, kProbability},
    FaultKind{kDrop, set_probability<&Faults::drop>, kProbability},
    FaultKind{kDuplicate, set_probability<&Faults::duplicate>, kProbability},
    FaultKind{kCorrupt, set_probability<&Faults::corrupt>, kProbability},
    FaultKind{kDie, set_death, "a number of messages, 0 or more"},
};

const FaultKind& kind_named(const std::string& name) {
  const auto found = std::ranges::find(kKinds, name, &FaultKind::name);
  if (found != kKinds.end()) return *found;
  std::vector<std::string> names;
  names.reserve(kKinds.size());
  for (const FaultKind& kind : kKinds) names.emplace_back(kind.name);
  throw Error("--faults: " + unknown_name("fault", name, names));
}

}  // namespace

Faults FaultsArgument::chosen() const {
  Faults faults;
  for (const auto& [name, value] : given_) {
    const FaultKind& kind = kind_named(name);
    if (!kind.set(faults, value))
      throw Error(fmt::format("--faults {}: expected {}, got '{}'", name, kind.expected, value));
  }
  return faults;
}

void FaultsArgument::require(std::span<const std::string_view> acting, const std::string& what) const {
  for (const auto& [name, value] : given_) {
    if (std::ranges::find(acting, name) == acting.end())
      throw Error(fmt::format("--faults {}: {} takes {}", name, what,
                              acting.empty() ? "no faults" : fmt::format("{}", fmt::join(acting, ", "))));
  }
}

}  // namespace isthmus::program
