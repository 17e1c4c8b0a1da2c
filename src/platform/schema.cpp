#include "isthmus/platform/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform {
namespace {

constexpr std::array kSchema = {
    &kinds::kPcie,     &kinds::kQpi,         &kinds::kCapi,        &kinds::kMemory,       &kinds::kLlc,
    &kinds::kNuma,     &kinds::kIommu,       &kinds::kCores,       &kinds::kCopy,         &kinds::kAlloc,
    &kinds::kRuntime,  &kinds::kCall,        &kinds::kMmio,        &kinds::kHypervisor,   &kinds::kTranslation,
    &kinds::kCache,    &kinds::kReordering,  &kinds::kQueue,       &kinds::kVa,           &kinds::kNetwork,
    &kinds::kStack,    &kinds::kStorage,     &kinds::kDma,         &kinds::kDram,         &kinds::kAxi,
    &kinds::kOnchip,   &kinds::kKernel,      &kinds::kStream,      &kinds::kCpu,          &kinds::kL2,
    &kinds::kPrefetch, &kinds::kWriteStream, &kinds::kMaintenance, &kinds::kInterconnect, &kinds::kHp,
    &kinds::kHpc,      &kinds::kAcp,         &kinds::kEngines};

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

std::vector<std::string> usual_keys() {
  std::vector<std::string> names;
  for (const PartKind* kind : schema())
    for (const Key& key : kind->keys) names.push_back(fmt::format("{}.{}", kind->section, key.name));
  return names;
}

const PartKind* find_kind(Schema schema, std::string_view name) {
  const auto found = std::ranges::find(schema, name, &PartKind::name);
  return found == schema.end() ? nullptr : *found;
}

std::string to_string(const Relation& relation) {
  return fmt::format("{} <= {}", to_string(relation.lesser), to_string(relation.greater));
}

}  // namespace isthmus::platform
