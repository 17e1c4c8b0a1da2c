#include <cstdint>
#include <isthmus/program.hpp>
#include <numeric>
#include <span>

#include "running_sum.hpp"

using Number = std::uint32_t;

int main(int argc, char** argv) {
  return isthmus::program::main_of(
      argc, argv,
      isthmus::program::Application<Number, Number>{
          .name = "@NAME@",
          .summary = "the running sum of each message of 16384 numbers",
          .input = 16384,
          .output = 16384,
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
      });
}
