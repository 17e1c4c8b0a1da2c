#pragma once

#include <optional>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/soc/machine.hpp"

namespace isthmus::soc {

/// Which port moves each buffer, and where the buffer lies.
struct Ways {
  std::vector<std::size_t> port_of;    ///< of each buffer, among those of the circuit
  std::vector<std::uint64_t> address;  ///< of each buffer
  std::vector<std::uint64_t> burst;    ///< the longest of each port
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
  double cycle_;  ///< seconds
  std::vector<std::byte> in_;
  std::uint64_t got_ = 0;
  std::uint64_t made_ = 0;     ///< of all that it writes
  std::uint64_t all_ = 0;      ///< likewise
  std::size_t part_ = 0;       ///< that is written
  std::uint64_t in_part_ = 0;  ///< bytes of it
  Time free_;                  ///< when its arithmetic is
  bool over_ = false;
};

}  // namespace isthmus::soc
