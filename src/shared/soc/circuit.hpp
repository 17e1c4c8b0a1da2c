#pragma once

#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/shared/soc/machine.hpp"

namespace isthmus::soc {

/// The port that moves each buffer, and the address of the buffer.
struct Ways {
  std::vector<std::size_t> port_of;    ///< for each buffer, the index of its port among the circuit's ports
  std::vector<std::uint64_t> address;  ///< address of each buffer
  std::vector<std::uint64_t> burst;    ///< bytes of the longest burst of each port
};

/// The circuit: it does a pass whenever the core starts it.
class Circuit {
 public:
  In<const Pass*> starts{"starts"};
  Out<bool> ended{"ended"};
  PortArray<Out<fabric::AxiRegion>> regions;
  PortArray<In<fabric::AxiBurst>> data;
  PortArray<Out<fabric::AxiStore>> stores;
  PortArray<In<fabric::AxiDone>> written;

  Circuit(const Ways& ways, Frequency clock);

  void step();
  bool done() const { return over_; }

 private:
  void begin(const Pass& pass);
  void read(const Pass& pass);
  void produce(const Pass& pass);
  void write(const Pass& pass, std::uint64_t bytes);
  void finish(const Pass& pass);

  Timer timer_;
  const Ways& ways_;
  double cycle_;  ///< period of the circuit's clock, seconds
  std::vector<std::byte> in_;
  std::uint64_t got_ = 0;
  std::uint64_t made_ = 0;     ///< bytes made, of all that the circuit writes
  std::uint64_t all_ = 0;      ///< bytes that the circuit writes in all
  std::size_t part_ = 0;       ///< index of the part that is being written
  std::uint64_t in_part_ = 0;  ///< bytes of that part that are written
  Time free_;                  ///< time at which the arithmetic is free
  bool over_ = false;
};

}  // namespace isthmus::soc
