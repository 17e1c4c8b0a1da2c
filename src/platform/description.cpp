#include "isthmus/platform/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "platform/check.hpp"
#include "platform/override.hpp"
#include "platform/reader.hpp"

namespace isthmus::platform {
namespace {

std::string_view section_of(std::string_view key) {
  return key.substr(0, key.rfind('.'));
}

std::string_view last_of(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

const Section* find_named(const std::vector<Section>& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &Section::name);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

std::string names_of(const std::vector<Section>& parts) {
  std::vector<std::string_view> names;
  names.reserve(parts.size());
  for (const Section& part : parts) names.push_back(part.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

Description load(const std::filesystem::path& file, std::span<const std::string> overrides, Schema schema) {
  Contents contents = read(file, schema);
  for (const std::string& text : overrides) apply_override(contents.parts, text);
  check_together(contents.parts, schema);
  Description description;
  description.name_ = std::move(contents.name);
  description.file_ = file;
  description.parts_ = std::move(contents.parts);
  return description;
}

const Section* Description::find(std::string_view kind) const {
  const auto found = std::ranges::find_if(
      parts_, [kind](const Section& part) { return part.kind().name() == kind || part.kind().family == kind; });
  return found == parts_.end() ? nullptr : &*found;
}

const Section& Description::the(std::string_view kind) const {
  if (const Section* found = find(kind)) return *found;
  throw Error(fmt::format("{}: expected a part of kind {}, got a board of {}", file_.string(), kind, names_of(parts_)));
}

std::vector<std::string> Description::channels() const {
  std::vector<std::string> names;
  for (const Section& part : parts_)
    if (part.kind().link) names.push_back(part.channel());
  return names;
}

std::vector<std::string> channels_of(const Description& board, std::string_view kind) {
  std::vector<std::string> names;
  for (const Section& part : board.parts())
    if (part.kind().name() == kind) names.push_back(part.channel());
  return names;
}

Description Description::over(std::string_view channel) const {
  const std::vector<std::string> known = channels();
  if (!channel.empty() && std::ranges::find(known, channel) == known.end())
    throw Error(fmt::format("{}: {}", file_.string(), unknown_name("channel", channel, known)));
  if (known.empty()) return *this;
  const std::string_view chosen = channel.empty() ? known.front() : channel;
  Description board = *this;
  std::erase_if(board.parts_, [chosen](const Section& part) { return part.kind().link && part.channel() != chosen; });
  return board;
}

std::string Description::key_here(std::string_view usual, std::string_view channel) const {
  const auto elsewhere = [channel](const Section& part) {
    return part.kind().link && !channel.empty() && part.channel() != channel;
  };
  for (const Section& part : parts_)
    if (part.kind().section == section_of(usual) && !elsewhere(part)) return part.name_of(last_of(usual));
  return {};
}

const Section& Description::part_of(std::string_view key) const {
  if (const Section* found = find_named(parts_, section_of(key))) return *found;
  throw Error(fmt::format("{}: key '{}': expected a part of the board ({}), got '{}'", file_.string(), key,
                          names_of(parts_), section_of(key)));
}

bool Description::has(std::string_view key) const {
  const Section* part = find_named(parts_, section_of(key));
  return part != nullptr && part->has(last_of(key));
}

int Description::count(std::string_view key) const {
  return part_of(key).count(last_of(key));
}

Bytes Description::bytes(std::string_view key) const {
  return part_of(key).bytes(last_of(key));
}

Bandwidth Description::bandwidth(std::string_view key) const {
  return part_of(key).bandwidth(last_of(key));
}

Time Description::time(std::string_view key) const {
  return part_of(key).time(last_of(key));
}

Frequency Description::frequency(std::string_view key) const {
  return part_of(key).frequency(last_of(key));
}

bool Description::flag(std::string_view key) const {
  return part_of(key).flag(last_of(key));
}

}  // namespace isthmus::platform
