#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/engine/port.hpp"
#include "isthmus/engine/port_array.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/registers.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/platform/soc_core.hpp"
#include "isthmus/shared/soc/buffers.hpp"

namespace isthmus::soc {

/// The stage to which the time of software's coherence counts.
inline constexpr const char* kMaintenance = "maintenance";

/// A part of a buffer, in whole lines.
struct Part {
  std::size_t buffer;
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// One pass of the circuit: it reads parts one after the other, computes, and writes parts.
struct Pass {
  std::string stage;  ///< stage that the time of the pass counts as
  std::vector<Part> reads{};
  std::vector<Part> writes{};
  double cycles = 0;  ///< cycles of the circuit, spread over what the pass writes
  /// Bytes of what it reads that it needs before it gives so many of what it writes; all of them where none is given.
  std::function<std::uint64_t(std::uint64_t)> needs{};
  /// Gives some bytes of what it writes, from `at` on, out of what it has read up to then.
  std::function<void(std::span<const std::byte> in, std::uint64_t at, std::span<std::byte> out)> compute{};
  /// The call of an application's own kernel, where that does the passes: the parts are then what software maintains.
  fabric::KernelCall call{};
};

/// The ends of what does the passes, at the ports.
struct PassEnds {
  PortArray<Out<fabric::AxiRegion>>& regions;
  PortArray<In<fabric::AxiBurst>>& data;
  PortArray<Out<fabric::AxiStore>>& stores;
  PortArray<In<fabric::AxiDone>>& written;
  ActorId actor;
};

/// The ends of a kernel of an application's own, which does the passes in the place of the circuit.
struct OwnKernelEnds {
  In<fabric::KernelStore>& start;
  Out<fabric::KernelDone>& finished;
  PassEnds passes;
};

/// Adds such a kernel, on the ports' clock, behind ports of these specifications.
using AddKernel = std::function<OwnKernelEnds(Graph& graph, const Clock& clock, std::vector<fabric::AxiSpec> ports)>;

/// The content of the processor's memory.
struct Layout {
  std::vector<Buffer> buffers;
  std::vector<std::uint64_t> areas{};  ///< bytes of each cacheable area that the CPU has for itself
  std::vector<std::string> stages{};   ///< names of the stages, in the order of the report
};

/// The address of each buffer and area, each on a page of its own.
struct Addresses {
  std::vector<std::uint64_t> buffers;
  std::vector<std::uint64_t> areas;
  std::uint64_t end = 0;
};

/// A core that runs a program, and waits for the circuit.
class Cpu {
 public:
  using Program = std::function<void(Cpu&)>;
  struct Memory {
    const platform::SocSpec& board;
    const Layout& layout;
    const std::vector<Method>& methods;
    const Addresses& at;
    const std::vector<std::size_t>& ports;  ///< for each buffer, the index of its port among the circuit's ports
    fabric::DramCells& cells;
  };

  platform::SocCore core;
  Out<const Pass*> starts{"starts"};  ///< null after the end of the program
  In<bool> ended{"ended"};

  Cpu(const Memory& memory, const Program& program);

  void step();
  bool done() const { return finished_; }

  Time now() { return core.now(); }
  /// Counts the time from here on as this stage.
  void stage(const std::string& name);
  /// A core's work on so many elements whose data are at hand.
  void work(std::uint64_t elements);
  /// A core's work on so many bytes that it copies.
  void copy_work(std::uint64_t bytes);
  void load(std::size_t buffer, std::uint64_t offset, std::span<std::byte> to);
  void store(std::size_t buffer, std::uint64_t offset, std::span<const std::byte> from);
  void load_area(std::size_t area, std::uint64_t offset, std::span<std::byte> to);
  void store_area(std::size_t area, std::uint64_t offset, std::span<const std::byte> from);
  /// Has the circuit do a pass; buffers that software keeps coherent are maintained before and behind.
  void run(const Pass& pass);
  /// Bytes that were in memory before, of which nothing has been read yet: a frame of a camera, weights.
  void provide_area(std::size_t area, std::uint64_t offset, std::span<const std::byte> bytes);
  void provide(std::size_t buffer, std::uint64_t offset, std::span<const std::byte> bytes);
  /// The place of a buffer for a kernel: the number of its port, as a channel, and its address.
  fabric::DeviceAddress place(std::size_t buffer) const;

  const std::vector<std::pair<std::string, Time>>& stages() const { return stages_; }

 private:
  void maintain(const std::vector<Part>& parts);
  bool by_software(std::size_t buffer) const;
  fabric::MemoryType type(std::size_t buffer) const;

  Memory memory_;
  const Program& program_;
  std::uint64_t line_;
  std::vector<std::pair<std::string, Time>> stages_;
  std::size_t stage_ = 0;
  Time since_;
  bool finished_ = false;
};

/// The times of a run.
struct Outcome {
  Time elapsed;
  std::vector<std::pair<std::string, Time>> stages;
  std::vector<platform::Part> parts;
};

/// Runs a program on one core of a chip, and its passes in a circuit behind the ports of the chosen methods, or in
/// `kernel` where there is one. Throws Error where the memory is too small.
Outcome run(const platform::Description& board, const Layout& layout, const Choice& choice, const Cpu::Program& program,
            const AddKernel& kernel = {});

/// Rates of the circuits that come with Isthmus.
struct Engines {
  int filter_pixels;    ///< pixels that the filter takes in a cycle
  int gemm_multiplies;  ///< multiplications with additions in a cycle
  int dnn_multiplies;   ///< multiplications with additions in a cycle
};
Engines engines_of(const platform::Description& board);

}  // namespace isthmus::soc
