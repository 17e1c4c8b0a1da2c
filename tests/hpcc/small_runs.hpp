#pragma once

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "hpcc/kernel_with_a_fault.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {

/// One of the ways in which the kernels of a benchmark are written; empty: by the type of the device.
struct Shape {
  const char* variant = "";
  const char* shape = "";
  const char* ending = "";

  std::string file(const std::string& benchmark) const { return "kernels/hpcc/" + benchmark + "_" + ending + ".cl"; }
  /// A request for one small repetition.
  Request request(const std::string& benchmark, std::vector<std::string> overrides,
                  const std::vector<std::string>& more) const {
    overrides.insert(overrides.end(), more.begin(), more.end());
    return {.benchmark = benchmark,
            .variant = variant,
            .shape = shape,
            .size = "small",
            .repetitions = 1,
            .overrides = std::move(overrides)};
  }
};

inline constexpr std::array kShapes{Shape{"single", "", "single"}, Shape{"ndrange", "cpu", "ndrange_cpu"},
                                    Shape{"ndrange", "gpu", "ndrange_gpu"}};

/// Whether a run with this kernel is validated.
inline bool validated_with(const KernelWithAFault& kernel, Request request) {
  request.kernel_file = kernel.file();
  return run(request, cluster::alone()).validation.passed();
}

inline void expect_refused(const Request& request, const std::string& why) {
  EXPECT_THAT(refusal([&] { run(request, cluster::alone()); }), testing::HasSubstr(why));
}

}  // namespace isthmus::hpcc
