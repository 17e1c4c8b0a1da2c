#include "program/faults_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

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
  if (found == kKinds.end()) throw Error("--faults: " + unknown_name("fault", name, fault_names()));
  return *found;
}

/// NAME and VALUE.
std::pair<std::string, std::string> split(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos) throw Error(fmt::format("--faults: expected NAME=VALUE,..., got '{}'", given));
  return {given.substr(0, equals), given.substr(equals + 1)};
}

}  // namespace

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kKinds));
  for (const FaultKind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

void FaultsArgument::add_to(CLI::App& app) {
  app.add_option("--faults", given_,
                 fmt::format("NAME=VALUE,... of {}: probabilities, and for die the messages before the consumer dies",
                             fmt::join(fault_names(), ", ")))
      ->delimiter(',');
}

Faults FaultsArgument::chosen() const {
  Faults faults;
  std::vector<std::string> names;
  for (const std::string& each : given_) {
    const auto [name, value] = split(each);
    const FaultKind& kind = kind_named(name);
    if (std::ranges::find(names, name) != names.end()) throw Error(fmt::format("--faults: {} is given twice", name));
    names.push_back(name);
    if (!kind.set(faults, value))
      throw Error(fmt::format("--faults {}: expected {}, got '{}'", name, kind.expected, value));
  }
  return faults;
}

void FaultsArgument::require(std::span<const std::string_view> acting, const std::string& what) const {
  for (const std::string& each : given_) {
    const std::string name = split(each).first;
    if (std::ranges::find(acting, name) == acting.end())
      throw Error(fmt::format("--faults {}: {} takes {}", name, what,
                              acting.empty() ? "no faults" : fmt::format("{}", fmt::join(acting, ", "))));
  }
}

}  // namespace isthmus::program
