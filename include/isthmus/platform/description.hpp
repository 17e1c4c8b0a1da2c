#pragma once

#include <filesystem>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/units.hpp"
#include "isthmus/platform/schema.hpp"
#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// A board and its host as parts, read from a platform file and checked against the schema. It has the parts that its
/// file names, and no other.
class Description {
 public:
  /// The name of the board, such as "Amazon EC2 F1".
  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return file_; }
  /// The board's parts in the order of the schema, those of one kind by name.
  const std::vector<Section>& parts() const { return parts_; }
  /// The values of all parts, in their order.
  auto inputs() const { return parts_ | std::views::transform(&Section::inputs) | std::views::join; }
  /// SHA-256 in hex of the name, of the parts and of every key's value in base units. Two files that say the same in
  /// other units, order or words have the same one; an overridden value changes it.
  std::string sha256() const;

  /// The board's first part of a kind or of a family of kinds; null where it has none.
  const Section* find(std::string_view kind) const;
  /// The same; throws Error that names the parts that there are where it has none.
  const Section& the(std::string_view kind) const;
  /// The links that join it to its host, in the order of their names.
  std::vector<std::string> channels() const;
  /// The board with one of its links alone: the one that `channel` names, the first where that is empty. Throws Error
  /// where it has none of that name.
  Description over(std::string_view channel) const;
  /// The name of a key on this board, of one that is named as on a board with one part of each kind in its usual
  /// section: "link.vh0.lanes" of "link.pcie.lanes". A link's key is of the link that `channel` names, the first
  /// where that is empty. Empty where the board has no such part.
  std::string key_here(std::string_view usual, std::string_view channel = {}) const;

  /// Tells whether the key "link.pcie.lanes" has a value.
  bool has(std::string_view key) const;
  /// The value of "link.pcie.lanes", which must be of that quantity. Throws Error when the part or an optional key is
  /// absent.
  int count(std::string_view key) const;
  Bytes bytes(std::string_view key) const;
  Bandwidth bandwidth(std::string_view key) const;
  Time time(std::string_view key) const;
  Frequency frequency(std::string_view key) const;
  bool flag(std::string_view key) const;

 private:
  friend Description load(const std::filesystem::path&, std::span<const std::string>, Schema);
  const Section& part_of(std::string_view key) const;

  std::string name_;
  std::filesystem::path file_;
  std::vector<Section> parts_;
};

/// The channels whose links are of one kind, in the order of their names.
std::vector<std::string> channels_of(const Description& board, std::string_view kind);

/// "link.vh0, link.vh1, kernel": for messages.
std::string names_of(const std::vector<Section>& parts);

/// Reads and checks a platform file, then replaces values as `overrides` say, each "KEY=VALUE" with VALUE in the key's
/// unit unless one is written ("link.pcie.lanes=8", "kernel.clock=300MHz"); of two for one key the later holds.
/// Throws Error with one line "FILE:LINE: key 'KEY': expected ..., got ..." ("--set" in place of FILE:LINE).
Description load(const std::filesystem::path& file, std::span<const std::string> overrides = {},
                 Schema kinds = schema());

/// The file of a target: "model:NAME" is platforms/NAME.toml (in the folder ISTHMUS_PLATFORMS if that is set), anything
/// that ends in .toml is a path. Throws Error for an unknown name or another kind of target.
std::filesystem::path file_of(std::string_view target);

/// Tells whether a target is a model: "model:NAME" or FILE.toml.
bool is_model(std::string_view target);

/// The error of a word that is no target of those that are `expected`, with the one that it was meant to be.
Error unknown_target(std::string_view target, std::string_view expected);

/// The names that "model:NAME" accepts, sorted.
std::vector<std::string> names();

}  // namespace isthmus::platform
