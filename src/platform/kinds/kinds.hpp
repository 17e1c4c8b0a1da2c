#pragma once

#include "isthmus/platform/schema.hpp"

// The table, in the order in which reports show them.
#define ISTHMUS_PART_KINDS(EACH)                                                                                       \
  EACH(kPcie), EACH(kQpi), EACH(kCapi), EACH(kMemory), EACH(kLlc), EACH(kNuma), EACH(kIommu), EACH(kCores),            \
      EACH(kCopy), EACH(kAlloc), EACH(kRuntime), EACH(kCall), EACH(kMmio), EACH(kHypervisor), EACH(kTranslation),      \
      EACH(kCache), EACH(kReordering), EACH(kQueue), EACH(kVa), EACH(kNetwork), EACH(kStack), EACH(kStorage),          \
      EACH(kDma), EACH(kDram), EACH(kAxi), EACH(kOnchip), EACH(kKernel), EACH(kStream), EACH(kCpu), EACH(kL2),         \
      EACH(kPrefetch), EACH(kWriteStream), EACH(kMaintenance), EACH(kInterconnect), EACH(kHp), EACH(kHpc), EACH(kAcp), \
      EACH(kEngines)

/// The kinds of parts, each with the table of its keys in a file of its own.
namespace isthmus::platform::kinds {

#define ISTHMUS_NAME(kind) kind
extern const PartKind ISTHMUS_PART_KINDS(ISTHMUS_NAME);

// Base units of what the tables say.
inline constexpr double kKiB = 1024;
inline constexpr double kMiB = 1024 * kKiB;
inline constexpr double kGiB = 1024 * kMiB;
inline constexpr double kGB = 1e9;
inline constexpr double ns = 1e-9;
inline constexpr double us = 1e-6;
inline constexpr double ms = 1e-3;
inline constexpr double MHz = 1e6;
inline constexpr double MTps = 1e6;

// Rules that many keys have.
inline constexpr KeyRules kIfEnabled{.when = "enabled"};
inline constexpr KeyRules kPowerOfTwo{.power_of_two = true};
inline constexpr KeyRules kMayBeLeftOut{.may_be_left_out = true};
inline constexpr KeyRules kLessIsFaster{.faster = Faster::less};
inline constexpr KeyRules kFasterEitherWay{.faster = Faster::either};

/// Both rules, of which no two say the same.
constexpr KeyRules operator|(KeyRules rules, const KeyRules& other) {
  if (!other.when.empty()) rules.when = other.when;
  if (other.faster) rules.faster = other.faster;
  rules.power_of_two |= other.power_of_two;
  rules.may_be_left_out |= other.may_be_left_out;
  return rules;
}

}  // namespace isthmus::platform::kinds
