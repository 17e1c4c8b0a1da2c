#pragma once

#include <cstdint>
#include <string>

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// The device's own probe of its arithmetic: multiply-adds in registers, with a kernel that no parameter of a benchmark
/// changes.
enum class MultiplyAdder : std::uint8_t { scalar, tensor };  ///< tensor: the matrix instruction for doubles

class MultiplyAddProbe {
 public:
  /// `data_type`: float or double; half is probed as float, in which it is summed up.
  MultiplyAddProbe(Job& job, const std::string& data_type, MultiplyAdder unit = MultiplyAdder::scalar);

  /// Floating-point operations a second, two for each multiply-add.
  double rate();

 private:
  Job& job_;
  std::size_t width_;  ///< values of a work-item's vector
  std::size_t items_;
  std::int32_t rounds_;
  double of_round_;                        ///< multiply-adds of a value of a work-item's vector
  std::optional<offload::Kernel> kernel_;  // none where nothing compiles online
  offload::Buffer out_;
};

}  // namespace isthmus::hpcc
