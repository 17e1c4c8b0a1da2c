#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isthmus::hpcc {

enum class ParameterKind {
  positive,      ///< a whole number from `least` to `most`
  power_of_two,  ///< the same, a power of two
  data_type,     ///< float, double or half
};

/// A parameter of a benchmark, by the name that meyer2024 gives it (tables 3.2, 4.1, 4.3-4.5), and its default on a
/// device.
struct ParameterSpec {
  std::string name;
  std::string meaning;
  ParameterKind kind = ParameterKind::positive;
  std::string value;
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 40;
  bool at_run = false;                     ///< the kernels take it as an argument, so one binary serves every value
  std::vector<std::string> multiple_of{};  ///< parameters by whose values this one can be divided
};

/// The parameters of one run: defaults, and what was set.
class Parameters {
 public:
  /// `overrides` are NAME=VALUE. Throws Error for a name that the benchmark does not have, a value outside what its
  /// parameter takes, or one that is no multiple of what it has to be, unless it is of a run alone.
  Parameters() = default;
  Parameters(std::vector<ParameterSpec> specs, const std::vector<std::string>& overrides);

  std::int64_t integer(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  const std::vector<ParameterSpec>& all() const { return specs_; }

  /// Throws Error for a parameter of the run that is no multiple of what it has to be.
  void require_multiples_at_run() const { check_multiples(true); }

  /// "-DNAME=VALUE ...", for the compiler of kernels.
  std::string build_options() const;

 private:
  void check_multiples(bool at_run) const;
  std::size_t index_of(const std::string& name) const;

  std::vector<ParameterSpec> specs_;
};

/// Bytes of a value of a data type: float, double or half.
std::size_t size_of_type(const std::string& data_type);
/// Its machine epsilon, the distance from 1 to the next number.
double epsilon_of_type(const std::string& data_type);

}  // namespace isthmus::hpcc
