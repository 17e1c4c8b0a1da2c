#pragma once

#include "isthmus/platform/schema.hpp"

/// The kinds of parts, each with the table of its keys in a file of its own.
namespace isthmus::platform::kinds {

extern const PartKind kPcie;
extern const PartKind kQpi;
extern const PartKind kCapi;
extern const PartKind kMemory;
extern const PartKind kLlc;
extern const PartKind kNuma;
extern const PartKind kIommu;
extern const PartKind kCores;
extern const PartKind kCopy;
extern const PartKind kAlloc;
extern const PartKind kRuntime;
extern const PartKind kCall;
extern const PartKind kMmio;
extern const PartKind kHypervisor;
extern const PartKind kTranslation;
extern const PartKind kCache;
extern const PartKind kReordering;
extern const PartKind kQueue;
extern const PartKind kVa;
extern const PartKind kNetwork;
extern const PartKind kStack;
extern const PartKind kStorage;
extern const PartKind kDma;
extern const PartKind kDram;
extern const PartKind kAxi;
extern const PartKind kOnchip;
extern const PartKind kKernel;
extern const PartKind kStream;
extern const PartKind kCpu;
extern const PartKind kL2;
extern const PartKind kPrefetch;
extern const PartKind kWriteStream;
extern const PartKind kMaintenance;
extern const PartKind kInterconnect;
extern const PartKind kHp;
extern const PartKind kHpc;
extern const PartKind kAcp;
extern const PartKind kEngines;

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

}  // namespace isthmus::platform::kinds
