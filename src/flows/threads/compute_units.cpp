#include "flows/threads/compute_units.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/native.hpp"

namespace isthmus::program {
namespace {

int workers_of(const Job& job) {
  return job.workers > 0 ? job.workers : native::cores();
}

/// Why a job has one copy; null if it may have several.
const char* why_one(const Job& job) {
  const Extras& extras = job.application.extras;
  if (!extras.independent) return "whose messages may depend on each other";
  if (job.faults.any()) return "with faults";
  return nullptr;
}

}  // namespace

int units_of(const Job& job, int messages) {
  const char* const one = why_one(job);
  if (one != nullptr && job.units > 1)
    throw Error(fmt::format("--compute-units: expected 1 of '{}', {}, got {}", job.application.name, one, job.units));
  if (one != nullptr || messages < 1) return 1;
  const int usual = job.placement.empty() ? workers_of(job) : 1;
  return std::min(job.units > 0 ? job.units : usual, messages);
}

std::string scope_of(const ComputeUnit& unit) {
  return unit.of == 1 ? "" : fmt::format("unit {}", unit.number);
}

std::map<std::string, int> placement_of_units(const Job& job, int units) {
  std::map<std::string, int> placement;
  if (units == 1) return placement;
  for (int i = 0; i < units; ++i) placement[scope_of({.number = i, .of = units})] = i * workers_of(job) / units;
  return placement;
}

}  // namespace isthmus::program
