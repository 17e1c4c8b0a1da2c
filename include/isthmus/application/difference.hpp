#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>

namespace isthmus::program {

/// The first difference of outputs from the reference, and the number of differences.
struct Difference {
  int message = 0;
  std::size_t offset = 0;  ///< index of the first difference among the elements of the message
  std::string expected;
  std::string got;
  std::int64_t elements = 0;  ///< number of elements that differ
  std::int64_t of_elements = 0;
  int messages = 0;  ///< number of messages with differences
  int of_messages = 0;
};

/// An element of an output, given as its bytes, for people.
using ElementText = std::function<std::string(std::span<const std::byte>)>;

/// Tells whether an element that was computed is as good as the reference's, of which the bytes differ.
using ElementsAgree = std::function<bool(std::span<const std::byte> expected, std::span<const std::byte> got)>;

/// The element's bytes in the order of memory: "0x 00 00 80 3f".
std::string hexadecimal(std::span<const std::byte> element);

/// What its type writes: numbers with all their digits, characters as numbers; without an operator << the bytes.
template <class T>
std::string text_of(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_floating_point_v<T>) text.precision(std::numeric_limits<T>::max_digits10);
  if constexpr (std::is_enum_v<T>)
    text << +static_cast<std::underlying_type_t<T>>(value);
  else if constexpr (std::is_arithmetic_v<T>)
    text << +value;
  else if constexpr (requires { text << value; })
    text << value;
  else
    text << hexadecimal(std::as_bytes(std::span(&value, 1)));
  return text.str();
}

/// Holds outputs against the reference, byte for byte, or as `agree` says where there is one, and counts in elements.
class Differences {
 public:
  /// Elements of `element_bytes` each, a divisor of the size of every output.
  explicit Differences(std::size_t element_bytes, ElementText text = hexadecimal, ElementsAgree agree = {});

  /// Both are as long.
  void compare(int message, std::span<const std::byte> expected, std::span<const std::byte> got);
  /// None if every byte was right.
  std::optional<Difference> found() const;

 private:
  void note_first(int message, std::size_t offset, std::span<const std::byte> expected, std::span<const std::byte> got);

  std::size_t element_bytes_;
  ElementText text_;
  ElementsAgree agree_;
  Difference seen_;
};

}  // namespace isthmus::program
