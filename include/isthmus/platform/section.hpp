#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/platform/schema.hpp"

namespace isthmus::platform {

/// One value of a part with where it comes from: what a report shows beside every modelled result.
struct Input {
  const Key* key = nullptr;
  std::string name;                                     ///< dotted, such as "link.pcie.lanes"
  std::variant<double, bool, std::string> value = 0.0;  ///< as written: a number in `unit`, a flag or a text
  std::string unit;                                     ///< empty where the quantity takes none
  std::string source;                                   ///< the place that holds the value, or its formula
  std::string role;  ///< datasheet, configuration, calibrated, assumed, or set (by the user)
  std::optional<std::pair<double, double>> range;  ///< values that the number may also have, in `unit`
  std::string why;                                 ///< reason of an assumed value
  std::string date;                                ///< date of a calibration
  int line = 0;                                    ///< line of the file; 0 if the user set the value

  /// The number in base units (bytes, B/s, seconds, hertz); a flag is 0 or 1, a text its place among its choices.
  double base() const;
};

/// A part of a board as its file describes it: a section, with a value for each key that it needs.
class Section {
 public:
  /// `place` is "FILE:LINE" of its header; `channel` is empty but for links.
  Section(const PartKind& kind, std::string name, std::string channel, std::string place)
      : kind_(&kind), name_(std::move(name)), channel_(std::move(channel)), place_(std::move(place)) {}

  const PartKind& kind() const { return *kind_; }
  /// The name in its header: "link.vh0".
  const std::string& name() const { return name_; }
  /// The name of a link in commands: the last word of its name, or what the file says in its place.
  const std::string& channel() const { return channel_; }
  const std::string& place() const { return place_; }
  /// The place that the value of `key` comes from: "FILE:LINE", or "--set"; the header's place where it has none.
  std::string place_of(std::string_view key) const;
  /// "link.vh0.lanes" of "lanes".
  std::string name_of(std::string_view key) const;

  /// The keys, in the order of the kind's table.
  const std::vector<Input>& inputs() const { return inputs_; }
  const Input* find(std::string_view key) const;
  /// Puts a value in its place, for one of the same key if there was one.
  void put(Input input);

  /// Tells whether an optional key (see KeyRules) has a value.
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The value of `key`, its last word, which must be of that quantity. Throws Error when an optional key is absent.
  int count(std::string_view key) const;  ///< a number of things or of cycles
  Bytes bytes(std::string_view key) const;
  Bandwidth bandwidth(std::string_view key) const;
  Time time(std::string_view key) const;
  Frequency frequency(std::string_view key) const;  ///< the frequency of a clock, or transfers a second
  bool flag(std::string_view key) const;
  std::string_view text(std::string_view key) const;

 private:
  const Input& get(std::string_view key, std::initializer_list<Quantity> quantities) const;

  const PartKind* kind_;
  std::string name_;
  std::string channel_;
  std::string place_;
  std::vector<Input> inputs_;
};

}  // namespace isthmus::platform
