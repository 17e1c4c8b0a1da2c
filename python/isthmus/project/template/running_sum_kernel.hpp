#pragma once

#include <isthmus/offload/word_kernel.hpp>

#include "running_sum.hpp"

/// kernels/running_sum.cl as an actor, for modelled boards: a launch reads one message from the device's memory, in
/// bursts, and writes its sums.
class RunningSumKernel : public isthmus::offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  void step() {
    using namespace isthmus;
    const auto call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(offload::number_argument(call.arguments[2])) * sizeof(std::uint32_t);
    std::uint32_t sum = 0;
    begin_writing(offload::address_argument(call.arguments[1]), bytes);
    read_words(offload::address_argument(call.arguments[0]), bytes,
               [&](const Word& word) { write(RunningSum::add_up(word, sum)); });
    finish();
  }
  bool done() const { return false; }  // it ends with the registers that start it
};
