#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::offload {

/// The base of the twins of streaming kernels: words of one region in, words of another out, through one AXI port in
/// bursts, a word a cycle.
class WordKernel : public KernelPorts {
 public:
  /// Writes go through the first of the ports.
  explicit WordKernel(const KernelSpec& spec, std::size_t ports = 1)
      : KernelPorts(ports), spec_(spec), clock_(spec.clock) {}

 protected:
  const KernelSpec& spec() const { return spec_; }

  /// Reads a region whole, to keep it in on-chip memory.
  void load(fabric::DeviceAddress from, std::span<std::byte> to);
  /// Hands each word of a region to `each` and lets a cycle pass for it. `bytes` is a multiple of a word's.
  template <class Each>
  void read_words(fabric::DeviceAddress from, std::uint64_t bytes, const Each& each);
  /// From now on words are written to a region of so many bytes, in their order.
  void begin_writing(fabric::DeviceAddress to, std::uint64_t bytes);
  void write(const Word& word);
  /// Hands on what was written so far, however little of a burst that is.
  void flush();
  /// Cycles, which pass with the next burst or `work`.
  void cycle(Tick count = 1) { cycles_ += count; }
  /// Lets the cycles pass that were counted since the last time.
  void work();
  /// Waits until all that was written is in memory, and says that the launch is over.
  void finish();

 private:
  void store();

  Timer timer_;
  KernelSpec spec_;
  Grid clock_;
  fabric::AxiBurst results_{};
  fabric::DeviceAddress to_{};
  std::uint64_t left_ = 0;  ///< bytes not yet stored
  Tick cycles_ = 0;
};

template <class Each>
void WordKernel::read_words(fabric::DeviceAddress from, std::uint64_t bytes, const Each& each) {
  regions[0].push({.at = from, .bytes = bytes});
  for (std::uint64_t words = bytes / sizeof(Word); words > 0;) {
    const fabric::AxiBurst& burst = data[0].read_in_place();
    const std::size_t count = burst.bytes / sizeof(Word);
    for (std::size_t i = 0; i < count; ++i) {
      Word word;
      std::memcpy(word.bytes.data(), burst.data.data() + i * sizeof(Word), sizeof(Word));
      each(word);
      cycle();
    }
    work();
    words -= count;
  }
}

}  // namespace isthmus::offload
