#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/shared/circuit.hpp"
#include "isthmus/shared/core.hpp"
#include "isthmus/shared/memory.hpp"
#include "isthmus/shared/run.hpp"

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
    const CircuitSpec spec = circuit_spec(detail::ports_of(logic), detail::messages_of(logic), options);
    SharedRun run(board_, listening(spec), memory_.pages(), 1);
    auto& core = run.add_core<Core>("core", CoreSpec{.memory = memory_, .store = store_}, std::move(program));
    auto& circuit = run.add_circuit<CircuitActor<Logic>>("circuit", spec, logic);
    this->run(run, core, circuit, options.schedule_seed);
    return std::move(circuit.logic());
  }

 private:
  CircuitSpec circuit_spec(int ports, int messages, const RunOfMachine& options) const;
  /// The board's spec with an FPGA's cache that watches the lines of the circuit's messages.
  platform::SharedSpec listening(const CircuitSpec& circuit) const;
  /// Afterwards memory holds what caches held.
  void run(SharedRun& run, Core& core, CircuitSide& circuit, std::uint64_t schedule_seed);
  void write_back(SharedRun& run);

  platform::Description board_;
  Time store_;  ///< what a thread pays for a store to a register of the circuit
  platform::SharedSpec spec_;
  SharedMemory memory_;
};

}  // namespace isthmus
