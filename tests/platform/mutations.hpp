#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

/// Files and overrides with mistakes at random places.
namespace isthmus::platform::testing {

/// What may stand where it should not: TOML's own signs, numbers that are none, other types, control characters.
inline const std::vector<std::string> kBits = {
    "nan",         "-inf",  "1e400",    "-1",   "0",    "9223372036854775808",
    "\"",          "'",     "\"\"\"",   "[",    "]",    "{",
    "}",           "=",     ",",        ".",    "#",    "\n",
    "\r",          "\t",    "\x1b[31m", "\xff", "true", "1979-05-27",
    "\"\\u0007\"", "value", "unit"};

/// `text` with some stretches replaced by those bits, by `more`, or by a zero.
inline std::string mutated(std::string text, const std::vector<std::string>& more) {
  std::vector<std::string> bits = kBits;
  bits.insert(bits.end(), more.begin(), more.end());
  bits.emplace_back(1, '\0');
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto removed = *rc::gen::inRange<std::size_t>(0, 20);
    text.replace(place, removed, *rc::gen::elementOf(bits));
  }
  return text;
}

inline bool one_clean_line(const std::string& message) {
  return std::ranges::none_of(message, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace isthmus::platform::testing
