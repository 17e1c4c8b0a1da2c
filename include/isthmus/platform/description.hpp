#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/platform/schema.hpp"

namespace isthmus::platform {

/// One number of a platform with where it comes from: what a report shows beside every modelled result.
struct Input {
  const Key* key = nullptr;
  std::variant<double, bool> value = 0.0;  ///< as written: a number in `unit`, or a flag
  std::string unit;                        ///< empty where the kind takes none
  std::string source;                      ///< the place that holds the number, or its formula
  std::string role;                        ///< datasheet, configuration, calibrated, assumed, or set (by the user)
  std::optional<std::pair<double, double>> range;  ///< what the value may be as well, in `unit`
  std::string why;                                 ///< the reason of an assumption
  std::string date;                                ///< of a calibration
  int line = 0;                                    ///< where it stands in the file; 0 when set by the user

  /// The number in base units (bytes, B/s, seconds, hertz); a flag is 0 or 1.
  double base() const;
};

/// A board and its host as numbers, read from a platform file and checked against the schema.
class Description {
 public:
  /// What the board is called, such as "Amazon EC2 F1".
  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return file_; }
  /// In the order of the schema.
  std::span<const Input> inputs() const { return inputs_; }
  /// SHA-256 in hex of the name and of every key's value in base units. Two files that say the same in other units,
  /// order or words have the same one; an overridden value changes it.
  std::string sha256() const;

  /// Whether an optional key (see Key::when) has a value.
  bool has(std::string_view key) const;

  /// The value of `key`, which must be of that kind. Throws Error when an optional key is absent.
  std::int64_t count(std::string_view key) const;  ///< of things or of cycles
  Bytes bytes(std::string_view key) const;
  Bandwidth bandwidth(std::string_view key) const;
  Time time(std::string_view key) const;
  Frequency frequency(std::string_view key) const;  ///< of a clock, or of transfers
  bool flag(std::string_view key) const;

 private:
  friend Description load(const std::filesystem::path&, std::span<const std::string>);
  const Input* find(std::string_view key) const;
  const Input& get(std::string_view key, std::initializer_list<Kind> kinds) const;

  std::string name_;
  std::filesystem::path file_;
  std::vector<Input> inputs_;
};

/// Reads and checks a platform file, then replaces values as `overrides` say, each "KEY=VALUE" with VALUE in the key's
/// unit unless one is written ("link.pcie.lanes=8", "kernel.clock=300MHz"); of two for one key the later holds.
/// Throws Error with one line "FILE:LINE: key 'KEY': expected ..., got ..." ("--set" in place of FILE:LINE).
Description load(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// The file of a target: "model:NAME" is platforms/NAME.toml (in the folder ISTHMUS_PLATFORMS if that is set), anything
/// that ends in .toml is a path. Throws Error for an unknown name or another kind of target.
std::filesystem::path file_of(std::string_view target);

/// The names that "model:NAME" accepts, sorted.
std::vector<std::string> names();

}  // namespace isthmus::platform
