#include "isthmus/application/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

/// "an integer of 1..32 bytes".
std::string expected(const Parameter& parameter) {
  std::string text = parameter.kind == ParameterKind::integer ? "an integer" : "a number";
  if (parameter.min && parameter.max)
    text += fmt::format(" of {}..{}", *parameter.min, *parameter.max);
  else if (parameter.min)
    text += fmt::format(" of {} or more", *parameter.min);
  else if (parameter.max)
    text += fmt::format(" of {} or less", *parameter.max);
  return parameter.unit.empty() ? text : text + " " + parameter.unit;
}

template <class Number>
ParameterValue number(const Parameter& parameter, const std::string& text, const std::string& where) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  const auto real = static_cast<double>(value);
  if (failure != std::errc() || rest != end || !std::isfinite(real) || (parameter.min && real < *parameter.min) ||
      (parameter.max && real > *parameter.max))
    throw Error(fmt::format("{}: expected {}, got '{}'", where, expected(parameter), text));
  return value;
}

void require_path(ParameterKind kind, const std::string& text, const std::string& where) {
  std::error_code failure;
  const auto status = std::filesystem::status(text, failure);
  const char* what = kind == ParameterKind::folder ? "a folder" : "a file";
  if (failure) throw Error(fmt::format("{}: expected {}, got '{}': {}", where, what, text, failure.message()));
  if (std::filesystem::is_directory(status) != (kind == ParameterKind::folder))
    throw Error(fmt::format("{}: expected {}, got '{}'", where, what, text));
}

void require_choices(const Parameter& parameter, const std::string& text, const std::string& where) {
  std::vector<std::string> before;
  for (const std::string& one : parameter.several ? listed(text) : std::vector{text}) {
    if (std::ranges::find(parameter.choices, one) == parameter.choices.end())
      throw Error(fmt::format("{}: {}", where, unknown_name(parameter.name, one, parameter.choices)));
    if (std::ranges::find(before, one) != before.end())
      throw Error(fmt::format("{}: expected each {} once, got '{}' again", where, parameter.name, one));
    before.push_back(one);
  }
}

}  // namespace

ParameterValue parse(const Parameter& parameter, const std::string& text, const std::string& where) {
  switch (parameter.kind) {
    case ParameterKind::integer:
      return number<std::int64_t>(parameter, text, where);
    case ParameterKind::number:
      return number<double>(parameter, text, where);
    case ParameterKind::choice:
      require_choices(parameter, text, where);
      return text;
    case ParameterKind::folder:
    case ParameterKind::file:
      require_path(parameter.kind, text, where);
      return text;
    case ParameterKind::text:
      return text;
  }
  return text;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> list{""};
  for (const char letter : text)
    if (letter == ',')
      list.emplace_back();
    else
      list.back() += letter;
  return list;
}

std::vector<Values> each_of(std::span<const Parameter> declared, const Values& values) {
  std::vector<Values> all{values};
  for (const Parameter& parameter : declared) {
    if (!parameter.several) continue;
    std::vector<Values> spread;
    for (const Values& some : all)
      for (const std::string& one : listed(values.text(parameter.name))) {
        spread.push_back(some);
        spread.back().set(parameter.name, one);
      }
    all = std::move(spread);
  }
  return all;
}

Values::Values(std::span<const Parameter> declared) {
  for (const Parameter& parameter : declared)
    if (parameter.preset)
      set(parameter.name, parse(parameter, *parameter.preset, fmt::format("preset of '{}'", parameter.name)));
}

}  // namespace isthmus::program
