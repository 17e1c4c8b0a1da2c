#include <cstdint>
#include <isthmus/program.hpp>
#include <numeric>
#include <span>

#include "running_sum.hpp"
#include "running_sum_kernel.hpp"

using Number = std::uint32_t;

constexpr int kNumbers = 16384;

/// For the flows offload and overlap: its OpenCL kernel, and the same as an actor.
isthmus::program::DeviceKernel kernel_of_devices() {
  using namespace isthmus::program;
  return {.twin = isthmus::offload::kernel_model<RunningSumKernel>("running_sum"),
          .arguments = {InputBuffer{}, OutputBuffer{}, kNumbers}};
}

int main(int argc, char** argv) {
  return isthmus::program::main_of(
      argc, argv,
      isthmus::program::Application<Number, Number>{
          .name = "@NAME@",
          .summary = "the running sum of each message of 16384 numbers",
          .input = kNumbers,
          .output = kNumbers,
          .kernel =
              [](isthmus::program::Kernel& kernel) {
                auto& sum = kernel.add<RunningSum>("running sum");
                kernel.from_host(sum.in);
                kernel.to_host(sum.out);
              },
          .fill =
              [](int message, std::span<Number> numbers) {
                std::iota(numbers.begin(), numbers.end(), static_cast<Number>(message));
              },
          .reference = [](std::span<const Number> numbers,
                          std::span<Number> sums) { std::partial_sum(numbers.begin(), numbers.end(), sums.begin()); },
          .extras = {.device = kernel_of_devices(), .steady = true},
      });
}
