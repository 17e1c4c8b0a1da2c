#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isthmus::program {

/// The names of faults.
inline constexpr std::string_view kStall = "stall";
inline constexpr std::string_view kDrop = "drop";
inline constexpr std::string_view kDuplicate = "duplicate";
inline constexpr std::string_view kCorrupt = "corrupt";
inline constexpr std::string_view kDie = "die";

/// The faults that a run injects (docs/faults.md). Probabilities are of each time that it could.
struct Faults {
  double stall = 0;      ///< probability of a pause: of a host thread at each buffer, of the kernel's end at each word
  double drop = 0;       ///< probability that a TLP does not arrive
  double duplicate = 0;  ///< probability that a TLP arrives twice
  double corrupt = 0;    ///< probability that the check sequence of a TLP, or of a network's packet, is wrong
  std::optional<int> die{};  ///< number of messages after which the consumer's thread ends

  bool any() const { return stall > 0 || on_a_link() || die; }
  bool on_a_link() const { return drop > 0 || duplicate > 0 || corrupt > 0; }
};

/// The number of times that each fault happened.
struct FaultTally {
  std::int64_t stalled = 0;
  std::int64_t dropped = 0;
  std::int64_t duplicated = 0;
  std::int64_t replayed = 0;  ///< TLPs that were sent again
  std::int64_t corrupted = 0;

  bool operator==(const FaultTally&) const = default;
};

}  // namespace isthmus::program
