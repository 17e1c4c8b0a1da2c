#pragma once

#include <cstdint>
#include <string_view>

namespace isthmus::platform {

/// The detail in which a model follows the data that cross.
enum class Grain : std::uint8_t {
  fine,   ///< every packet, burst and word is a token
  coarse  ///< what repeats is computed once and counted: as fine within 1 % (docs/grain.md), and faster
};

constexpr std::string_view to_string(Grain grain) {
  return grain == Grain::fine ? "fine" : "coarse";
}

}  // namespace isthmus::platform
