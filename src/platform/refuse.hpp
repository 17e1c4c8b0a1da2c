#pragma once

#include <string>
#include <string_view>

namespace isthmus::platform {

/// The place where a value was written: "platforms/aws-f1.toml:12", or "--set".
using Place = std::string;

/// Throws Error("PLACE: key 'KEY': expected EXPECTED, got GOT") on one line, whatever the texts hold.
[[noreturn]] void refuse(const Place& place, std::string_view key, std::string_view expected, std::string_view got);

/// Throws Error("PLACE: TEXT") on one line.
[[noreturn]] void refuse(const Place& place, std::string_view text);

}  // namespace isthmus::platform
