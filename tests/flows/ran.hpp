#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/target.hpp"

namespace isthmus::program {

/// A run, and what its row says of the target.
struct Ran {
  Run run;
  nlohmann::ordered_json row{};
  double seconds() const { return run.times.elapsed.seconds(); }
  /// What the row says of a part of a model.
  const nlohmann::ordered_json& part(const std::string& name) const {
    for (const auto& each : row.at("parts"))
      if (each.at("name") == name) return each;
    throw std::runtime_error("no part " + name);
  }
};

inline Ran ran(Target& target, const Job& job) {
  Ran result{.run = target.run(job)};
  Record row;
  target.explain(row);
  result.row = nlohmann::ordered_json::parse(row.text());
  return result;
}

inline Ran ran(const std::string& target, const std::vector<std::string>& overrides, const Job& job) {
  return ran(*open_target(target, overrides), job);
}

/// The seconds of a stage of a run.
inline double stage(const Run& run, const std::string& name) {
  for (const Stage& each : run.times.stages)
    if (each.name == name) return each.time.seconds();
  throw std::runtime_error("no stage " + name);
}

}  // namespace isthmus::program
