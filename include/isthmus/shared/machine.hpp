#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/shared/circuit.hpp"
#include "isthmus/shared/core.hpp"
#include "isthmus/shared/memory.hpp"

namespace isthmus {

struct RunOfMachine {
  std::string channel{};  ///< channel of the circuit's lines, or the choice among them; empty: the coherent channel
  std::uint64_t schedule_seed = 0;  ///< see RunOptions::schedule_seed
};

namespace detail {

#ifdef ISTHMUS_DATA  // find_package(Isthmus) says where it is
constexpr const char* kData = ISTHMUS_DATA;
#else
constexpr const char* kData = nullptr;
#endif

/// `data`: where the package's data are, if it is known.
platform::Description board_of(std::string_view target, const std::vector<std::string>& overrides, const char* data);

/// A board, a core and the circuit that is added, for one run.
class SharedRun {
 public:
  SharedRun(const platform::Description& board, platform::SharedSpec spec, SharedMemory& memory, CircuitSpec circuit,
            Program program);

  const CircuitSpec& circuit_spec() const { return circuit_; }
  ActorOptions circuit_options() const;
  Graph& graph() { return graph_; }
  /// Afterwards memory holds what caches held.
  void run(CircuitSide& circuit, std::uint64_t schedule_seed);

 private:
  void connect(CircuitSide& circuit);
  void write_back();

  platform::SharedSpec spec_;
  SharedMemory& memory_;
  CircuitSpec circuit_;
  Graph graph_;
  platform::SharedBoard board_;
  Core& core_;
};

template <class Logic>
int ports_of(const Logic& logic) {
  if constexpr (requires { logic.ports(); }) return logic.ports();
  return 1;
}

template <class Logic>
int messages_of(const Logic& logic) {
  if constexpr (requires { logic.messages(); }) return logic.messages();
  return 0;
}

}  // namespace detail

/// A host and a board that work on one memory, in exact virtual time.
///
///     SharedMachine machine("model:xeon-fpga-v1");
///     shared<Node> nodes(machine.memory(), 1000);
///     ...
///     machine.run(ListWalker{}, [&](Core& core) {
///       core.write_register(kFirst, nodes.at(0).value);
///       core.await_status(1);
///     });
class SharedMachine {
 public:
  /// `overrides` are "KEY=VALUE" for keys of the modelled target's file. Throws Error if the board has its own memory.
  /// A template, so that each program has its own: where the package's data are is known to those who link it.
  template <std::convertible_to<std::string_view> Target>
  explicit SharedMachine(const Target& target, const std::vector<std::string>& overrides = {})
      : SharedMachine(detail::board_of(target, overrides, detail::kData)) {}
  explicit SharedMachine(platform::Description board);

  SharedMemory& memory() { return memory_; }
  const platform::SharedSpec& spec() const { return spec_; }

  /// Builds the circuit and runs the program beside it, from caches that hold nothing, until it ends. Returns the logic
  /// as it was then. Throws Error where the board has not what it asks for.
  template <class Logic>
  Logic run(const Logic& logic, Program program, const RunOfMachine& options = {}) {
    detail::SharedRun run(board_, spec_, memory_,
                          circuit_spec(detail::ports_of(logic), detail::messages_of(logic), options),
                          std::move(program));
    auto& circuit = run.graph().add<CircuitActor<Logic>>("circuit", run.circuit_options(), run.circuit_spec(), logic);
    run.run(circuit, options.schedule_seed);
    return std::move(circuit.logic());
  }

 private:
  CircuitSpec circuit_spec(int ports, int messages, const RunOfMachine& options) const;

  platform::Description board_;
  platform::SharedSpec spec_;
  SharedMemory memory_;
};

}  // namespace isthmus
