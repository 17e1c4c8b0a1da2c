#include "platform/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "platform/check.hpp"

namespace isthmus::platform {
namespace {

constexpr std::string_view kHost = "host.";

/// 0.16 ms and 160 us differ by a rounding error.
bool same(const Input& a, const Input& b) {
  if (a.value.index() != b.value.index()) return false;
  return std::fabs(a.base() - b.base()) <= 1e-12 * std::max(std::fabs(a.base()), std::fabs(b.base()));
}

HostDifference lacking(const std::string& what, const Place& where, bool in_other) {
  if (in_other) return {.expected = fmt::format("{} ({})", what, where), .got = "none"};
  return {.expected = "no " + what, .got = fmt::format("one ({})", where)};
}

std::optional<HostDifference> difference(const Section& host, const Section& other) {
  for (const Key& key : host.kind().keys) {
    const Input* expected = host.find(key.name);
    const Input* got = other.find(key.name);
    if (expected == nullptr && got == nullptr) continue;
    if (got == nullptr) return lacking(expected->name, host.place_of(expected->key->name), true);
    if (expected == nullptr) return lacking(got->name, other.place_of(got->key->name), false);
    if (!same(*expected, *got))
      return HostDifference{
          .expected = fmt::format("{} = {} ({})", expected->name, show(*expected), host.place_of(expected->key->name)),
          .got = fmt::format("{} ({})", show(*got), other.place_of(got->key->name))};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Section> host_of(const Description& board) {
  std::vector<Section> host;
  std::ranges::copy_if(board.parts(), std::back_inserter(host),
                       [](const Section& part) { return part.name().starts_with(kHost); });
  return host;
}

std::vector<std::string> of_hosts(std::span<const std::string> overrides) {
  std::vector<std::string> chosen;
  for (const std::string& text : overrides)
    if (text.substr(std::min(text.find_first_not_of(" \t"), text.size())).starts_with(kHost)) chosen.push_back(text);
  return chosen;
}

std::optional<HostDifference> difference(const std::vector<Section>& host, const std::vector<Section>& other) {
  for (const Section& part : host) {
    const auto same_part = std::ranges::find(other, part.name(), &Section::name);
    if (same_part == other.end()) return lacking(part.name(), part.place(), true);
    if (&same_part->kind() != &part.kind())
      return HostDifference{
          .expected = fmt::format("{} of kind {} ({})", part.name(), part.kind().name(), part.place()),
          .got = fmt::format("one of kind {} ({})", same_part->kind().name(), same_part->place())};
    if (auto found = difference(part, *same_part)) return found;
  }
  for (const Section& part : other)
    if (std::ranges::find(host, part.name(), &Section::name) == host.end())
      return lacking(part.name(), part.place(), false);
  return std::nullopt;
}

}  // namespace isthmus::platform
