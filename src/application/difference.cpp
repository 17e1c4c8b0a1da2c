#include "isthmus/application/difference.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace isthmus::program {

std::string hexadecimal(std::span<const std::byte> element) {
  std::string text = "0x";
  for (const std::byte byte : element) text += fmt::format(" {:02x}", std::to_integer<int>(byte));
  return text;
}

Differences::Differences(std::size_t element_bytes, ElementText text, ElementsAgree agree)
    : element_bytes_(element_bytes), text_(std::move(text)), agree_(std::move(agree)) {}

void Differences::compare(int message, std::span<const std::byte> expected, std::span<const std::byte> got) {
  ++seen_.of_messages;
  seen_.of_elements += static_cast<std::int64_t>(expected.size() / element_bytes_);
  if (expected.empty() || std::memcmp(expected.data(), got.data(), expected.size()) == 0) return;
  const std::int64_t before = seen_.elements;
  for (std::size_t at = 0; at < expected.size(); at += element_bytes_) {
    const auto right = expected.subspan(at, element_bytes_);
    const auto mine = got.subspan(at, element_bytes_);
    if (std::memcmp(right.data(), mine.data(), element_bytes_) == 0) continue;
    if (agree_ && agree_(right, mine)) continue;
    if (seen_.elements++ == 0) note_first(message, at / element_bytes_, right, mine);
  }
  if (seen_.elements > before) ++seen_.messages;
}

void Differences::note_first(int message, std::size_t offset, std::span<const std::byte> expected,
                             std::span<const std::byte> got) {
  seen_.message = message;
  seen_.offset = offset;
  seen_.expected = text_(expected);
  seen_.got = text_(got);
  if (seen_.expected != seen_.got) return;
  // Two NaN, or what an operator << leaves out.
  seen_.expected = hexadecimal(expected);
  seen_.got = hexadecimal(got);
}

std::optional<Difference> Differences::found() const {
  if (seen_.messages == 0) return {};
  return seen_;
}

}  // namespace isthmus::program
