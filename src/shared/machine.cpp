#include "isthmus/shared/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus {
namespace {

constexpr const char* kCircuitGroup = "circuit";
constexpr const char* kCoreGroup = "host";
constexpr int kCommands = 16;  // register accesses under way

platform::Description checked(platform::Description board) {
  platform::require(board, "memory that CPU and circuits share", platform::kSharedMachineNeeds);
  return board;
}

platform::SharedSpec listening(platform::SharedSpec spec, const SharedMemory& memory, const CircuitSpec& circuit) {
  fabric::CoherentCacheSpec& cache = spec.coherence.agents[platform::SharedBoard::kFpga].cache;
  cache.watched = memory.space().physical(memory.message(0).value) / memory.line();
  cache.watched_lines = circuit.messages;
  return spec;
}

}  // namespace

namespace detail {

platform::Description board_of(std::string_view target, const std::vector<std::string>& overrides, const char* data) {
  if (data != nullptr) look_for_data_in(data);
  return platform::load(platform::file_of(target), overrides);
}

SharedRun::SharedRun(const platform::Description& board, platform::SharedSpec spec, SharedMemory& memory,
                     CircuitSpec circuit, Program program)
    : spec_(listening(std::move(spec), memory, circuit)),
      memory_(memory),
      circuit_(circuit),
      board_(graph_, spec_, memory.pinned(), memory.space(), 1),
      core_(graph_.add<Core>("core", {.clock = board_.core_clock(), .group = kCoreGroup},
                             CoreSpec{.memory = memory, .store = board.the("mmio").time("store")},
                             std::move(program))) {}

ActorOptions SharedRun::circuit_options() const {
  return {.clock = spec_.circuit, .group = kCircuitGroup};
}

/// Registers are as far as the coherent link, whose way back is in cycles of the circuit's clock.
void SharedRun::connect(CircuitSide& circuit) {
  for (int port = 0; port < spec_.ports; ++port) {
    const auto place = static_cast<std::size_t>(port);
    if (place < circuit.ports()) {
      board_.attach_reads(port, circuit.reads[place], circuit.read_results[place]);
      board_.attach_writes(port, circuit.writes[place], circuit.write_results[place]);
    } else {
      board_.leave_out_reads(port);
      board_.leave_out_writes(port);
    }
  }
  board_.attach_core(core_.accesses, core_.results);
  const fabric::CoherenceAgent& fpga = spec_.coherence.agents[platform::SharedBoard::kFpga];
  const double circuit_cycles =
      spec_.circuit.frequency.hertz() / board_.core_clock().frequency.hertz() * static_cast<double>(fpga.to_home);
  graph_.connect(core_.registers, circuit.registers, {.depth = kCommands + fpga.from_home, .latency = fpga.from_home});
  const int back = std::max(1, static_cast<int>(std::lround(circuit_cycles)));
  graph_.connect(circuit.answers, core_.answers, {.depth = kCommands + back, .latency = back});
  if (!circuit.hints.empty()) board_.attach_hints(circuit.hints[0]);
}

void SharedRun::run(CircuitSide& circuit, std::uint64_t schedule_seed) {
  connect(circuit);
  memory_.clear_own();
  memory_.lend(true);
  try {
    graph_.run({.output = graph_.id(core_), .schedule_seed = schedule_seed});
    write_back();
  } catch (...) {
    memory_.lend(false);
    throw;
  }
  memory_.lend(false);
}

/// Each modified line is in one cache, and no write-back is under way any more.
void SharedRun::write_back() {
  const auto line = static_cast<std::uint64_t>(spec_.coherence.line);
  for (const std::size_t agent : {platform::SharedBoard::kFpga, platform::SharedBoard::kHost}) {
    const fabric::LineStore& lines = board_.cache(agent).lines();
    for (const auto& way : lines.all()) {
      if (way.state != fabric::LineState::modified) continue;
      std::memcpy(memory_.pinned().at(way.line * line, spec_.coherence.line), lines.bytes_of(way), line);
    }
  }
}

}  // namespace detail

SharedMachine::SharedMachine(platform::Description board)
    : board_(checked(std::move(board))), spec_(platform::shared_spec(board_)), memory_(spec_) {}

CircuitSpec SharedMachine::circuit_spec(int ports, int messages, const RunOfMachine& options) const {
  if (ports < 1 || ports > spec_.ports)
    throw Error(fmt::format("{}: circuit: expected 1 to {} ports of memory (cache.ports), got {}",
                            board_.file().string(), spec_.ports, ports));
  if (messages < 0 || messages > kMessages)
    throw Error(fmt::format("circuit: expected 0 to {} lines of messages, got {}", kMessages, messages));
  const std::uint8_t channel =
      options.channel.empty() ? platform::kCoherentWay : platform::way_named(spec_, options.channel);
  return {.memory = memory_, .channel = channel, .ports = ports, .messages = messages};
}

}  // namespace isthmus
