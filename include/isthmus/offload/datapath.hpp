#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::offload {

/// Bytes of the buffer that is an argument of a kernel, by the place of that in the kernel's signature. Both numbers
/// are multiples of a word's bytes.
struct Region {
  std::size_t argument = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// The circuit that computes with words as they come, apart from the memory that they come from: the same behind AXI
/// ports of a board's own memory and behind a coherent cache. Of each launch it says which regions each of its ports
/// reads, in order; all ports have as many words.
class Datapath {
 public:
  virtual ~Datapath() = default;

  virtual std::size_t ports() const { return 1; }
  /// On-chip memory that it takes.
  virtual std::uint64_t onchip_bytes() const = 0;
  /// The number of regions that a port reads in a launch, and the regions.
  virtual std::uint64_t regions() const = 0;
  virtual Region region(std::size_t port, std::uint64_t number) const = 0;
  /// From region `first` on, which takes as long as any other, they repeat each other: a round of them takes as long as
  /// the next (docs/grain.md).
  struct Rounds {
    std::uint64_t first;
    std::uint64_t length;
  };
  virtual Rounds rounds() const = 0;
  /// The place of the words that `give` gives, in order.
  virtual Region result() const = 0;

  virtual void begin() = 0;
  /// Takes the next word of a port and returns the cycles that it keeps the circuit busy; ports take theirs in turn.
  virtual int take(std::size_t port, const Word& word) = 0;
  /// Gives the next word of the result, if it is there.
  virtual bool give(Word& word) = 0;
  /// After the last word: returns the cycles until all of the result is there.
  virtual int finish() = 0;
};

using DatapathMaker = std::function<std::unique_ptr<Datapath>()>;

/// The twin of kernels/<name>.cl that a datapath is behind AXI ports of the device's memory: regions are read ahead, as
/// many bursts as a port may have under way. Its actor throws Error where the board has no room for it.
KernelModel datapath_model(const std::string& name, const DatapathMaker& make);

}  // namespace isthmus::offload
