#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "isthmus/probes/probe.hpp"
#include "isthmus/probes/sampler.hpp"

namespace isthmus::probes {

/// The measurement of a probe at one size: how it is timed, and what a time means.
struct Point {
  Finding finding;                    ///< the finding, without samples
  std::function<double(Time)> value;  ///< turns a sample's time into a value in the finding's unit
  std::function<std::unique_ptr<Sampler>(offload::Device& device)> open;  ///< null if the finding needs no samples
  Bytes memory{};  ///< bytes of the host's and of the device's memory that the sampler uses
};

/// Takes the samples of all points and reports each. A model gives each point's samples one after the other. A real
/// device is disturbed for a while by whatever else runs: its samples are taken in passes over all points, each in a
/// random order (Job::seed), until a point's 95 % interval of the median lies within 5 % of it, or there are
/// Job::samples. After a Ctrl-C what has samples is reported with those.
void measure(const Job& job, Target& target, std::vector<Point> points, const Report& report);

}  // namespace isthmus::probes
