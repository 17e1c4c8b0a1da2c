#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/run.hpp"
#include "isthmus/base/record.hpp"

namespace isthmus::program {

/// The target that an application runs on: a real device, a modelled board, or this machine's threads.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string device_name() const = 0;
  virtual bool modelled() const = 0;
  /// The flows of an application that this target has.
  virtual std::vector<std::string> flows(const ByteApplication& application) const = 0;
  /// Throws Error if `flow` is none of them; the message names what the application or the target lacks.
  virtual void require_flow(const ByteApplication& application, const std::string& flow) const;
  /// The faults that act on something where an application runs in `flow`, one of `flows()`.
  virtual std::span<const std::string_view> faults(const ByteApplication& /*application*/,
                                                   const std::string& /*flow*/) const {
    return {};
  }
  /// Runs `job`, whose flow is one of `flows()`.
  virtual Run run(const Job& job) = 0;
  /// Adds the target's explanation of its last run to a row: a model adds its parts, bottleneck and platform.
  virtual void explain(Record& row) const = 0;
};

/// Opens the target that a user named: "model:NAME", FILE.toml, "opencl:N", "opencl:NAME" or "native". `overrides` are
/// KEY=VALUE pairs for a model's platform, `channel` is the link of a model that flows go over; where it is empty,
/// streams go over the first, transfers over all. Throws Error if there is no such target or a setting or channel fits
/// nothing.
std::unique_ptr<Target> open_target(const std::string& name, const std::vector<std::string>& overrides,
                                    const std::string& channel = {});

}  // namespace isthmus::program
