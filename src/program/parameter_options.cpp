#include "program/parameter_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

std::string name_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool is_key(const std::string& assignment) {
  return name_of(assignment).find('.') != std::string::npos;
}

const char* name_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::integer:
      return "integer";
    case ParameterKind::number:
      return "number";
    case ParameterKind::text:
      return "text";
    case ParameterKind::choice:
      return "choice";
    case ParameterKind::folder:
      return "folder";
    case ParameterKind::file:
      return "file";
  }
  return "";
}

Record number(const Parameter& parameter, double bound) {
  return parameter.kind == ParameterKind::integer ? Record(static_cast<std::int64_t>(bound)) : Record(bound);
}

Record to_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Record(held); }, value);
}

}  // namespace

void ParameterArguments::add_to(CLI::App& app) {
  app.add_option("--set", overrides_,
                 "NAME=VALUE: a parameter of the application; KEY=VALUE (with a dot): a number of a model; may be "
                 "repeated")
      ->expected(1)
      ->take_all();
  for (std::size_t i = 0; i < declared_.size(); ++i)
    app.add_option("--" + declared_[i].name, typed_[i], declared_[i].help)->group("Parameters");
}

Values ParameterArguments::values() const {
  Values values(declared_);
  std::vector<std::string> given;
  const auto set = [&](const Parameter& parameter, const std::string& text, const std::string& where) {
    if (std::ranges::find(given, parameter.name) != given.end())
      throw Error(fmt::format("{}: parameter '{}' has a value already, expected one", where, parameter.name));
    given.push_back(parameter.name);
    values.set(parameter.name, parse(parameter, text, where));
  };
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (const std::optional<std::string>& typed = typed_[i]) set(declared_[i], *typed, "--" + declared_[i].name);
  for (const std::string& assignment : overrides_) {
    if (is_key(assignment)) continue;
    const Parameter& parameter = find(name_of(assignment), assignment);
    set(parameter, assignment.substr(parameter.name.size() + 1), "--set " + assignment);
  }
  return values;
}

const Parameter& ParameterArguments::find(const std::string& name, const std::string& assignment) const {
  std::vector<std::string> known;
  for (const Parameter& parameter : declared_) {
    if (parameter.name == name && name != assignment) return parameter;
    known.push_back(parameter.name);
  }
  if (name == assignment) throw Error(fmt::format("--set {}: expected NAME=VALUE or KEY=VALUE", assignment));
  if (known.empty())
    throw Error(fmt::format("--set {}: application '{}' has no parameters, and a key of a platform has a dot",
                            assignment, application_));
  throw Error(fmt::format("--set {}: {}", assignment, unknown_name("parameter", name, known)));
}

std::vector<std::string> ParameterArguments::overrides() const {
  std::vector<std::string> keys;
  std::ranges::copy_if(overrides_, std::back_inserter(keys), is_key);
  return keys;
}

Record to_json(const std::vector<Parameter>& declared) {
  Record list = Record::array();
  for (const Parameter& parameter : declared) {
    Record one{{"name", parameter.name}, {"kind", name_of(parameter.kind)}};
    if (!parameter.unit.empty()) one["unit"] = parameter.unit;
    if (parameter.min) one["min"] = number(parameter, *parameter.min);
    if (parameter.max) one["max"] = number(parameter, *parameter.max);
    if (!parameter.choices.empty()) one["choices"] = parameter.choices;
    if (parameter.several) one["several"] = true;
    const Values values(std::span(&parameter, 1));
    if (values.has(parameter.name)) one["default"] = to_json(values.all().at(parameter.name));
    one["help"] = parameter.help;
    list.push_back(std::move(one));
  }
  return list;
}

Record to_json(const Values& values) {
  Record record = Record::object();
  for (const auto& [name, value] : values.all()) record[name] = to_json(value);
  return record;
}

void CountArgument::add_to(CLI::App& app) {
  app.add_option("--count", count_, fmt::format("number of {}; by default {}", counted_, preset_));
  app.add_option("--" + counted_, by_name_, "the same as --count");
}

std::optional<int> CountArgument::chosen() const {
  if (count_ && by_name_)
    throw Error(fmt::format("--count, --{}: expected one of them, which are two names of one option", counted_));
  const std::optional<int> count = count_ ? count_ : by_name_;
  if (count && *count < 1)
    throw Error(fmt::format("--{}: expected 1 or more, got {}", by_name_ ? counted_ : std::string("count"), *count));
  return count;
}

}  // namespace isthmus::program
