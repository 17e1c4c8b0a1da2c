// engine.pipeline8 in hardware, simulated by Verilator.
#include <verilated.h>

#include <string>

#include "Pipeline.h"
#include "workload.hpp"

namespace {

using isthmus::bench::Measurement;

Measurement pipeline8(std::uint64_t tokens) {
  VerilatedContext context;
  Pipeline pipeline(&context, "");
  const auto cycle = [&pipeline] {
    pipeline.clk = 1;
    pipeline.eval();
    pipeline.clk = 0;
    pipeline.eval();
  };
  pipeline.rst = 1;
  cycle();
  pipeline.rst = 0;
  const double begin = isthmus::bench::processor_seconds();
  while (pipeline.taken != tokens) cycle();
  const double end = isthmus::bench::processor_seconds();
  pipeline.final();
  return {.seconds = end - begin,
          .tokens = tokens,
          .checksum = pipeline.sum,
          .expected = isthmus::bench::pipeline_sum(tokens)};
}

/// "Verilator 5.006", without the date of the release.
std::string made_by() {
  const std::string version = Verilated::productVersion();
  return std::string(Verilated::productName()) + ' ' + version.substr(0, version.find(' '));
}

}  // namespace

int main(int argc, char** argv) {
  return isthmus::bench::run_workload(argc, argv, made_by(), {{"pipeline8", pipeline8}});
}
