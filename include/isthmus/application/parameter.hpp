#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace isthmus::program {

enum class ParameterKind : std::uint8_t { integer, number, text, choice, folder, file };

/// A value that a user may choose, on the command line (`--set NAME=VALUE` or `--NAME VALUE`) and in a study.
///
///     {.name = "values", .kind = ParameterKind::integer, .help = "numbers of a message", .min = 16, .max = 1 << 20,
///      .preset = "16384"}
struct Parameter {
  std::string name;  ///< without a dot: names with dots are keys of a platform
  ParameterKind kind = ParameterKind::integer;
  std::string help;                     ///< one line
  std::string unit{};                   ///< unit of a number, for people
  std::optional<double> min{};          ///< least value of a number
  std::optional<double> max{};          ///< greatest value of a number
  std::vector<std::string> choices{};   ///< values of a choice
  bool several = false;                 ///< whether a choice takes a list, separated by commas: each value gets a row
  std::optional<std::string> preset{};  ///< default value, as a user would type it
};

using ParameterValue = std::variant<std::int64_t, double, std::string>;

/// Reads the value of a parameter from `text`. Throws Error "WHERE: expected 1..32, got '40'" where it is of another
/// kind, out of range, none of the choices, or no folder or file that is there; `where` is what the user typed.
ParameterValue parse(const Parameter& parameter, const std::string& text, const std::string& where);

/// A text cut at its commas.
std::vector<std::string> listed(const std::string& text);

/// The values of an application's parameters that hold in a run.
class Values {
 public:
  Values() = default;
  /// The presets of those that have one.
  explicit Values(std::span<const Parameter> declared);

  void set(const std::string& name, ParameterValue value) { values_.insert_or_assign(name, std::move(value)); }
  /// Tells whether there is a value: a parameter without a preset may have none.
  bool has(const std::string& name) const { return values_.contains(name); }

  /// The value of a parameter of that kind; one that has none, or is of another kind, is an error of the program.
  std::int64_t integer(const std::string& name) const { return std::get<std::int64_t>(values_.at(name)); }
  double number(const std::string& name) const { return std::get<double>(values_.at(name)); }
  const std::string& text(const std::string& name) const { return std::get<std::string>(values_.at(name)); }

  const std::map<std::string, ParameterValue>& all() const { return values_; }

 private:
  std::map<std::string, ParameterValue> values_;
};

/// One for each row that is asked for: each combination of what parameters that take several values have.
std::vector<Values> each_of(std::span<const Parameter> declared, const Values& values);

}  // namespace isthmus::program
