#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/shared/host_core.hpp"
#include "isthmus/stream/vocabulary.hpp"

namespace isthmus {

/// The memory that a host shares with a board's circuits, which address it as one space.
struct PinnedSpace {
  PinnedMemory pinned;
  fabric::SharedSpace space;

  explicit PinnedSpace(const platform::SharedSpec& spec) : space(pinned, spec.space) {}
  PinnedSpace(const PinnedSpace&) = delete;
  PinnedSpace& operator=(const PinnedSpace&) = delete;
};

/// One run of a board whose circuits share the host's memory: cores and circuits are added, then it runs. What nothing
/// is attached to is left out.
class SharedRun {
 public:
  Graph graph;
  platform::SharedBoard board;

  /// The board's description and the memory live longer.
  SharedRun(const platform::Description& description, const platform::SharedSpec& spec, PinnedSpace& memory, int cores,
            fabric::CoherenceObserver* observer = nullptr)
      : board(graph, spec, memory.pinned, memory.space, cores, observer),
        description_(description),
        space_(memory.space),
        core_{.clock = spec.coherence.clock, .group = kHostGroup},
        circuit_{.clock = spec.circuit, .group = kDeviceGroup} {}

  /// A core of the host, whose steps are those of `body`.
  HostCore& add_core(const std::string& name, HostCore::Body body, const CorePorts& ports) {
    return add_core<HostCore>(name, space_, std::move(body), ports);
  }
  /// The same as far from the last-level cache as a hit there takes.
  HostCore& add_distant_core(const std::string& name, HostCore::Body body, const CorePorts& ports) {
    return add_distant_core<HostCore>(name, space_, std::move(body), ports);
  }
  /// An actor with `accesses` and `results` as a core.
  template <class Core, class... Arguments>
  Core& add_core(const std::string& name, Arguments&&... arguments) {
    auto& core = graph.add<Core>(name, core_, std::forward<Arguments>(arguments)...);
    board.attach_core(core.accesses, core.results);
    return core;
  }
  template <class Core, class... Arguments>
  Core& add_distant_core(const std::string& name, Arguments&&... arguments) {
    auto& core = graph.add<Core>(name, core_, std::forward<Arguments>(arguments)...);
    board.attach_distant_core(core.accesses, core.results);
    return core;
  }
  /// What goes to no memory, on the cores' clock.
  template <class Actor, class... Arguments>
  Actor& add_host_part(const std::string& name, Arguments&&... arguments) {
    return graph.add<Actor>(name, core_, std::forward<Arguments>(arguments)...);
  }
  /// A part of a circuit, on its clock.
  template <class Circuit, class... Arguments>
  Circuit& add_circuit(const std::string& name, Arguments&&... arguments) {
    return graph.add<Circuit>(name, circuit_, std::forward<Arguments>(arguments)...);
  }

  /// From a core's stores to the registers of the circuit, as far as the coherent link; `depth`: how many may be under
  /// way, if not as many as that takes.
  ChannelOptions registers(std::optional<int> depth = {}) const {
    ChannelOptions options = board.to_circuit();
    options.depth = depth.value_or(options.depth);
    return options;
  }

  /// The graph, with all that has been added and attached; asked for once, to run it.
  Graph& complete() {
    board.leave_out_rest();
    return graph;
  }
  RunReport run(const RunOptions& options = {}) { return complete().run(options); }
  /// The parts as they spent the run.
  std::vector<platform::Part> parts(const RunReport& report, std::vector<platform::PartPlan> plans) const {
    return platform::parts_of(report, platform::on_board(std::move(plans), description_));
  }

 private:
  const platform::Description& description_;
  const fabric::SharedSpace& space_;
  ActorOptions core_;
  ActorOptions circuit_;
};

}  // namespace isthmus
