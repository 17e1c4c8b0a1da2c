#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The schema of platform files: the kinds of parts that boards are made of, each with its keys.
namespace isthmus::platform {

/// The quantity of a key's value; it decides which units may be written.
enum class Quantity {
  count,      ///< whole things, no unit
  cycles,     ///< whole clock cycles
  bytes,      ///< B, KiB, MiB, GiB; bit for the width of a bus
  bandwidth,  ///< B/s, MB/s, GB/s (powers of ten)
  time,       ///< ps, ns, us, ms, s
  frequency,  ///< Hz, kHz, MHz, GHz
  transfers,  ///< transfers a second on each wire: MT/s, GT/s
  flag,       ///< true or false, no unit
  text,       ///< one of a few words, no unit
};

/// A unit that may be written beside a number of one quantity.
struct Unit {
  std::string_view name;
  double scale;  ///< base units (bytes, B/s, seconds, hertz, transfers a second) in one of this unit
};

/// The units of a quantity, smallest first; empty for counts, flags and texts, which take none.
std::span<const Unit> units_of(Quantity quantity);

/// The unit `name` of `quantity`, or null.
const Unit* find_unit(Quantity quantity, std::string_view name);

/// The direction in which values of a key make a board faster.
enum class Faster {
  less,
  more,
  either,  ///< the faster direction depends on the data
};

/// Other rules for a key.
struct KeyRules {
  std::string_view when{};  ///< the flag of its part that makes this key needed; empty: always needed
  bool power_of_two = false;
  double multiple_of = 0;  ///< the value is a multiple of this, in base units; 0: any value
  bool may_be_left_out = false;
  std::optional<Faster> faster{};  ///< faster direction; none: less for times and cycles, more for all other quantities
  std::span<const double> built{};  ///< values that devices are built with, rising; empty: any value in range
  std::span<const std::string_view> choices{};  ///< words that a text may be
};

/// One key of a part: what it means and what it may be.
struct Key {
  std::string_view name;  ///< the last word, such as "lanes"
  Quantity quantity;
  double low = 0;                 ///< smallest value allowed, in base units
  double high = 0;                ///< largest value allowed, in base units
  std::string_view meaning = {};  ///< meaning in one line, for people
  KeyRules rules = {};
};

/// A key of a kind of parts, times a factor.
struct Term {
  std::string_view kind;
  std::string_view key;
  double factor = 1;
};

/// A condition, in base units, on a board that has both: lesser <= greater. If both are of one kind, it is on one part.
struct Relation {
  Term lesser;
  Term greater;
};

/// A kind of parts: the single place that says which keys such a part has.
struct PartKind {
  std::string_view section;     ///< section of a board's only part of this kind, such as "link.pcie"
  std::string_view own_name{};  ///< name, where the last word of the section is another kind's
  std::string_view meaning;     ///< meaning in one line, for people
  std::span<const Key> keys;
  std::span<const Relation> relations{};
  bool link = false;          ///< whether the part joins host and device: commands choose it by its channel's name
  bool several = false;       ///< whether a board may have more than one
  std::string_view family{};  ///< second name, which several kinds that do the same share

  /// The word in `kind = "..."`, or last word of a section, such as "pcie".
  constexpr std::string_view name() const {
    return own_name.empty() ? section.substr(section.rfind('.') + 1) : own_name;
  }
};

/// The family of links that keep a cache of the FPGA coherent with the host's.
inline constexpr std::string_view kCoherentLink = "coherent-link";

/// The key `name` of a kind, or null.
const Key* find_key(const PartKind& kind, std::string_view name);

/// Kinds of parts, in the order in which reports show them.
using Schema = std::span<const PartKind* const>;

/// All kinds of parts that boards may have.
Schema schema();

/// The kind `name`, or null.
const PartKind* find_kind(Schema schema, std::string_view name);

/// "1..32", "4 KiB..1 GiB", "a power of two in 128 B..4 KiB", "open or closed": what `key` expects, each end of a range
/// in the unit in which it reads best.
std::string expectation(const Key& key);

/// "link.pcie.flight x 2 <= link.pcie.round_trip": a relation in words, of parts in their usual sections.
std::string to_string(const Relation& relation);

}  // namespace isthmus::platform
