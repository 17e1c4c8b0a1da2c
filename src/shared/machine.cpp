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

constexpr int kCommands = 16;  // register accesses under way

platform::Description checked(platform::Description board) {
  platform::require(board, "memory that CPU and circuits share", platform::kSharedMachineNeeds);
  return board;
}

}  // namespace

namespace detail {

platform::Description board_of(std::string_view target, const std::vector<std::string>& overrides, const char* data) {
  if (data != nullptr) look_for_data_in(data);
  return platform::load(platform::file_of(target), overrides);
}

}  // namespace detail

SharedMachine::SharedMachine(platform::Description board)
    : board_(checked(std::move(board))),
      store_(board_.the("mmio").time("store")),
      spec_(platform::shared_spec(board_)),
      memory_(spec_) {}

platform::SharedSpec SharedMachine::listening(const CircuitSpec& circuit) const {
  platform::SharedSpec spec = spec_;
  fabric::CoherentCacheSpec& cache = spec.coherence.agents[platform::SharedBoard::kFpga].cache;
  cache.watched = memory_.space().physical(memory_.message(0).value) / memory_.line();
  cache.watched_lines = circuit.messages;
  return spec;
}

/// Registers are as far as the coherent link, whose way back is in cycles of the circuit's clock.
void SharedMachine::run(SharedRun& run, Core& core, CircuitSide& circuit, std::uint64_t schedule_seed) {
  for (std::size_t port = 0; port < circuit.ports(); ++port) {
    run.board.attach_reads(static_cast<int>(port), circuit.reads[port], circuit.read_results[port]);
    run.board.attach_writes(static_cast<int>(port), circuit.writes[port], circuit.write_results[port]);
  }
  const fabric::CoherenceAgent& fpga = spec_.coherence.agents[platform::SharedBoard::kFpga];
  const double circuit_cycles =
      spec_.circuit.frequency.hertz() / spec_.coherence.clock.frequency.hertz() * static_cast<double>(fpga.to_home);
  const int back = std::max(1, static_cast<int>(std::lround(circuit_cycles)));
  run.graph.connect(core.registers, circuit.registers, run.registers(kCommands + fpga.from_home));
  run.graph.connect(circuit.answers, core.answers, {.depth = kCommands + back, .latency = back});
  if (!circuit.hints.empty()) run.board.attach_hints(circuit.hints[0]);
  memory_.clear_own();
  memory_.lend(true);
  try {
    run.run({.output = run.graph.id(core), .schedule_seed = schedule_seed});
    write_back(run);
  } catch (...) {
    memory_.lend(false);
    throw;
  }
  memory_.lend(false);
}

/// Each modified line is in one cache, and no write-back is under way any more.
void SharedMachine::write_back(SharedRun& run) {
  const auto line = static_cast<std::uint64_t>(spec_.coherence.line);
  for (const std::size_t agent : {platform::SharedBoard::kFpga, platform::SharedBoard::kHost}) {
    const fabric::LineStore& lines = run.board.cache(agent).lines();
    for (const auto& way : lines.all()) {
      if (way.state != fabric::LineState::modified) continue;
      std::memcpy(memory_.pages().pinned.at(way.line * line, spec_.coherence.line), lines.bytes_of(way), line);
    }
  }
}

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
