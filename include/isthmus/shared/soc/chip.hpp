#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/engine/port_array.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/platform/soc_board.hpp"
#include "isthmus/platform/soc_core.hpp"

namespace isthmus::soc {

/// The bytes of a chip's memory that a run may touch.
struct Span {
  std::uint64_t first;
  std::uint64_t bytes;
};

/// What a circuit has at a port of the chip.
struct CircuitPort {
  Out<fabric::AxiRegion>& regions;
  In<fabric::AxiBurst>& data;
  Out<fabric::AxiStore>& stores;
  In<fabric::AxiDone>& written;
};

/// A core that runs a program, and tells others when that is over.
class ProgramCore {
 public:
  using Program = std::function<void(platform::SocCore&)>;

  platform::SocCore core;
  PortArray<Out<bool>> ended;

  ProgramCore(const platform::SocSpec& board, Program program, std::size_t others = 0)
      : core(board), ended(others, "ended"), program_(std::move(program)) {}

  void step();
  bool done() const { return over_; }
  /// The time that the program took, without stores that were still under way.
  Time elapsed() const { return elapsed_; }

 private:
  Program program_;
  Time elapsed_;
  bool over_ = false;
};

/// A chip in a graph, for one run: cores and circuits are added to it.
class Chip {
 public:
  fabric::DramCells cells;
  Graph graph;

  /// `ports`: places among those of the spec, which lives longer.
  Chip(const platform::SocSpec& spec, const Span& memory, const std::vector<std::size_t>& ports,
       const platform::SocCores& cores);

  /// An actor whose `core` reaches memory through the caches and past them.
  template <class Core, class... Arguments>
  Core& add_core(const std::string& name, Arguments&&... arguments) {
    auto& actor = graph.add<Core>(name, core_options(), std::forward<Arguments>(arguments)...);
    board_.attach_core(actor.core.memory.accesses, actor.core.memory.results);
    board_.attach_uncached(actor.core.memory);
    return actor;
  }
  /// An actor with `accesses` and `results` through the second cache alone.
  template <class Core, class... Arguments>
  Core& add_cached_core(const std::string& name, Arguments&&... arguments) {
    auto& actor = graph.add<Core>(name, core_options(), std::forward<Arguments>(arguments)...);
    board_.attach_core(actor.accesses, actor.results);
    return actor;
  }
  /// Connects a circuit on that clock with the port that is number `port` of those built.
  void connect(std::size_t port, const Clock& clock, const CircuitPort& circuit);
  fabric::LineStore& cached() { return board_.cache().lines(); }
  const platform::SocSpec& spec() const { return spec_; }

 private:
  ActorOptions core_options() const { return {.clock = spec_.cpu, .group = kHostGroup}; }

  const platform::SocSpec& spec_;
  platform::SocBoard board_;
};

}  // namespace isthmus::soc
