#include "isthmus/hpcc/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::hpcc {
namespace {

std::string expected(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::data_type) return "float, double or half";
  if (spec.least == spec.most) return fmt::format("{} ({})", spec.least, spec.meaning);
  const char* what = spec.kind == ParameterKind::power_of_two ? "a power of two" : "a whole number";
  return fmt::format("{} from {} to {}", what, spec.least, spec.most);
}

bool takes(const ParameterSpec& spec, const std::string& text) {
  if (spec.kind == ParameterKind::data_type) return text == "float" || text == "double" || text == "half";
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return false;
  if (value < spec.least || value > spec.most) return false;
  return spec.kind != ParameterKind::power_of_two || std::has_single_bit(static_cast<std::uint64_t>(value));
}

}  // namespace

Parameters::Parameters(std::vector<ParameterSpec> specs, const std::vector<std::string>& overrides)
    : specs_(std::move(specs)) {
  for (const std::string& assignment : overrides) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) throw Error(fmt::format("--set {}: expected NAME=VALUE", assignment));
    ParameterSpec& spec = specs_[index_of(assignment.substr(0, equals))];
    spec.value = assignment.substr(equals + 1);
    if (!takes(spec, spec.value))
      throw Error(fmt::format("--set {}: expected {}, got '{}'", spec.name, expected(spec), spec.value));
  }
  check_multiples(false);
}

void Parameters::check_multiples(bool at_run) const {
  for (const ParameterSpec& spec : specs_)
    for (const std::string& of : spec.multiple_of)
      if (spec.at_run == at_run && integer(spec.name) % integer(of) != 0)
        throw Error(fmt::format("{}={}: expected a multiple of {}={}", spec.name, spec.value, of, text(of)));
}

std::size_t Parameters::index_of(const std::string& name) const {
  const auto found = std::ranges::find(specs_, name, &ParameterSpec::name);
  if (found != specs_.end()) return static_cast<std::size_t>(found - specs_.begin());
  std::vector<std::string> names;
  names.reserve(specs_.size());
  for (const ParameterSpec& spec : specs_) names.push_back(spec.name);
  throw Error(unknown_name("parameter", name, names));
}

std::int64_t Parameters::integer(const std::string& name) const {
  const std::string& text = specs_[index_of(name)].value;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

const std::string& Parameters::text(const std::string& name) const {
  return specs_[index_of(name)].value;
}

std::string Parameters::build_options() const {
  std::string options;
  for (const ParameterSpec& spec : specs_) options += fmt::format(" -D{}={}", spec.name, spec.value);
  return options;
}

std::size_t size_of_type(const std::string& data_type) {
  if (data_type == "double") return sizeof(double);
  return data_type == "half" ? 2 : sizeof(float);
}

double epsilon_of_type(const std::string& data_type) {
  constexpr double kHalf = 0x1p-10;
  if (data_type == "double") return std::numeric_limits<double>::epsilon();
  return data_type == "half" ? kHalf : std::numeric_limits<float>::epsilon();
}

}  // namespace isthmus::hpcc
