#include "program/parameter_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

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

ParameterArguments::ParameterArguments(Request& request, std::string application, std::vector<Parameter> declared)
    : application_(std::move(application)), declared_(std::move(declared)) {
  for (const auto& [name, value] : request.members("set"))
    if (name.find('.') != std::string::npos)
      overrides_.push_back(fmt::format("{}={}", name, value));
    else
      set_.emplace_back(name, value);
  for (const Parameter& each : declared_) typed_.push_back(request.typed(each.name));
}

Values ParameterArguments::values() const {
  Values values(declared_);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (const std::optional<std::string>& typed = typed_[i])
      values.set(declared_[i].name, parse(declared_[i], *typed, "--" + declared_[i].name));
  for (const auto& [name, value] : set_) {
    const std::string where = fmt::format("--set {}={}", name, value);
    const Parameter& parameter = find(name, where);
    if (typed_[static_cast<std::size_t>(&parameter - declared_.data())])
      throw Error(fmt::format("{}: parameter '{}' has a value already, expected one", where, name));
    values.set(name, parse(parameter, value, where));
  }
  return values;
}

const Parameter& ParameterArguments::find(const std::string& name, const std::string& where) const {
  std::vector<std::string> known;
  for (const Parameter& parameter : declared_) {
    if (parameter.name == name) return parameter;
    known.push_back(parameter.name);
  }
  if (known.empty())
    throw Error(
        fmt::format("{}: application '{}' has no parameters, and a key of a platform has a dot", where, application_));
  throw Error(fmt::format("{}: {}", where, unknown_name("parameter", name, known)));
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
    list.push_back(one);
  }
  return list;
}

Record to_json(const Values& values) {
  Record record = Record::object();
  for (const auto& [name, value] : values.all()) record[name] = to_json(value);
  return record;
}

std::optional<int> count_of(Request& request, const std::string& counted) {
  const std::optional<int> count = request.count("count");
  const std::optional<int> by_name = request.count(counted);
  if (count && by_name)
    throw Error(fmt::format("--count, --{}: expected one of them, which are two names of one option", counted));
  return count ? count : by_name;
}

}  // namespace isthmus::program
