#include "isthmus/platform/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform {
namespace {

#define ISTHMUS_ADDRESS(kind) &kinds::kind
constexpr std::array kSchema{ISTHMUS_PART_KINDS(ISTHMUS_ADDRESS)};

std::string to_string(const Term& term) {
  const PartKind* kind = find_kind(schema(), term.kind);
  const std::string key = fmt::format("{}.{}", kind != nullptr ? kind->section : term.kind, term.key);
  return term.factor == 1 ? key : fmt::format("{:g} x {}", term.factor, key);
}

}  // namespace

Schema schema() {
  return kSchema;
}

const Key* find_key(const PartKind& kind, std::string_view name) {
  const auto found = std::ranges::find(kind.keys, name, &Key::name);
  return found == kind.keys.end() ? nullptr : &*found;
}

const PartKind* find_kind(Schema schema, std::string_view name) {
  const auto found = std::ranges::find(schema, name, &PartKind::name);
  return found == schema.end() ? nullptr : *found;
}

std::string to_string(const Relation& relation) {
  return fmt::format("{} <= {}", to_string(relation.lesser), to_string(relation.greater));
}

}  // namespace isthmus::platform
