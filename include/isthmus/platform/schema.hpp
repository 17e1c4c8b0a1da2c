#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isthmus::platform {

/// What a key's number counts; it decides which units may be written.
enum class Kind {
  count,      ///< whole things, no unit
  cycles,     ///< whole clock cycles
  bytes,      ///< B, KiB, MiB, GiB; bit for the width of a bus
  bandwidth,  ///< B/s, MB/s, GB/s (powers of ten)
  time,       ///< ps, ns, us, ms, s
  frequency,  ///< Hz, kHz, MHz, GHz
  transfers,  ///< transfers a second on each wire: MT/s, GT/s
  flag,       ///< true or false, no unit
};

/// A unit that may be written beside a number of one kind.
struct Unit {
  std::string_view name;
  double scale;  ///< how many base units (bytes, B/s, seconds, hertz, transfers a second) one of it is
};

/// The units of a kind, smallest first; empty for counts and flags, which take none.
std::span<const Unit> units_of(Kind kind);

/// The unit `name` of `kind`, or null.
const Unit* find_unit(Kind kind, std::string_view name);

/// One key that a platform file may hold: the single place that says what it means and what it may be.
struct Key {
  std::string_view name;  ///< dotted, such as "link.pcie.lanes"
  Kind kind;
  double low = 0;              ///< smallest value allowed, in base units
  double high = 0;             ///< largest value allowed, in base units
  std::string_view meaning;    ///< for people, in one line
  std::string_view when = {};  ///< the flag that makes this key needed; empty: always needed
  bool power_of_two = false;
  bool may_be_left_out = false;
};

/// All keys, in the order in which reports show them.
std::span<const Key> schema();

/// The key `name`, or null.
const Key* find_key(std::string_view name);

/// One thing that must hold between two keys: lesser_factor * lesser <= greater_factor * greater, in base units.
struct Relation {
  std::string_view lesser;
  double lesser_factor;
  std::string_view greater;
  double greater_factor;
};

std::span<const Relation> relations();

/// "1..32", "128..4096 B", "a power of two in 128..4096 B": what `key` expects, in `unit` (null: the kind's base unit).
std::string expectation(const Key& key, const Unit* unit);

}  // namespace isthmus::platform
