#include <algorithm>

#include "isthmus/shared/soc/machine.hpp"

namespace isthmus::soc {
namespace {

constexpr std::uint64_t kCopied = 16;  // bytes copied in SocSpec::copy

/// In pieces that end with lines.
template <class Bytes, class Each>
void by_lines(std::uint64_t address, Bytes bytes, std::uint64_t line, const Each& each) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t left = line - (address + at) % line;
    const auto piece = bytes.subspan(at, std::min<std::size_t>(bytes.size() - at, left));
    each(address + at, piece);
    at += piece.size();
  }
}

}  // namespace

Cpu::Cpu(const Memory& memory, const Program& program)
    : core(memory.board),
      memory_(memory),
      program_(program),
      line_(static_cast<std::uint64_t>(memory.board.coherence.line)) {
  for (const std::string& name : memory.layout.stages) stages_.emplace_back(name, Time{});
}

void Cpu::step() {
  since_ = now();
  program_(*this);
  core.memory.settle();
  stage(stages_.front().first);
  starts.push(nullptr);
  finished_ = true;
}

void Cpu::stage(const std::string& name) {
  const Time at = now();
  stages_[stage_].second += at - since_;
  since_ = at;
  const auto found = std::ranges::find(stages_, name, &std::pair<std::string, Time>::first);
  stage_ = static_cast<std::size_t>(found - stages_.begin());
  if (found == stages_.end()) stages_.emplace_back(name, Time{});
}

void Cpu::work(std::uint64_t elements) {
  core.work(Time::fs(memory_.board.element.femtoseconds() * static_cast<std::int64_t>(elements)));
}

void Cpu::copy_work(std::uint64_t bytes) {
  core.work(Time::fs(memory_.board.copy.femtoseconds() * static_cast<std::int64_t>((bytes + kCopied - 1) / kCopied)));
}

fabric::MemoryType Cpu::type(std::size_t buffer) const {
  return memory_.methods[buffer] == Method::hp_nc ? fabric::MemoryType::noncacheable : fabric::MemoryType::cacheable;
}

bool Cpu::by_software(std::size_t buffer) const {
  return memory_.board.maintenance && memory_.methods[buffer] == Method::hp_c;
}

void Cpu::load(std::size_t buffer, std::uint64_t offset, std::span<std::byte> to) {
  by_lines(memory_.at.buffers[buffer] + offset, to, line_,
           [&](std::uint64_t address, std::span<std::byte> piece) { core.memory.load(type(buffer), address, piece); });
}

void Cpu::store(std::size_t buffer, std::uint64_t offset, std::span<const std::byte> from) {
  by_lines(memory_.at.buffers[buffer] + offset, from, line_,
           [&](std::uint64_t address, auto piece) { core.memory.store(type(buffer), address, piece); });
}

void Cpu::load_area(std::size_t area, std::uint64_t offset, std::span<std::byte> to) {
  by_lines(memory_.at.areas[area] + offset, to, line_, [&](std::uint64_t address, std::span<std::byte> piece) {
    core.memory.load(fabric::MemoryType::cacheable, address, piece);
  });
}

void Cpu::store_area(std::size_t area, std::uint64_t offset, std::span<const std::byte> from) {
  by_lines(memory_.at.areas[area] + offset, from, line_, [&](std::uint64_t address, auto piece) {
    core.memory.store(fabric::MemoryType::cacheable, address, piece);
  });
}

void Cpu::run(const Pass& pass) {
  stage(kMaintenance);
  maintain(pass.reads);
  maintain(pass.writes);
  stage(pass.stage);
  core.memory.settle();
  starts.push(&pass);
  ended.read();
  core.memory.forget();
  stage(kMaintenance);
  maintain(pass.writes);
  stage(pass.stage);
}

/// What drivers do of themselves for cacheable buffers of a port that does not snoop, each as a whole (min2019 III).
void Cpu::maintain(const std::vector<Part>& parts) {
  for (std::size_t buffer = 0; buffer < memory_.methods.size(); ++buffer) {
    if (!by_software(buffer)) continue;
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (const Part& part : parts) {
      if (part.buffer != buffer) continue;
      first = std::min(first, part.offset);
      end = std::max(end, part.offset + part.bytes);
    }
    if (end > 0) core.maintain(memory_.at.buffers[buffer] + first, end - first);
  }
}

void Cpu::provide_area(std::size_t area, std::uint64_t offset, std::span<const std::byte> bytes) {
  memory_.cells.write(memory_.at.areas[area] + offset, bytes);
}

void Cpu::provide(std::size_t buffer, std::uint64_t offset, std::span<const std::byte> bytes) {
  memory_.cells.write(memory_.at.buffers[buffer] + offset, bytes);
}

fabric::DeviceAddress Cpu::place(std::size_t buffer) const {
  return {.channel = static_cast<std::uint32_t>(memory_.ports[buffer]), .byte = memory_.at.buffers[buffer]};
}

}  // namespace isthmus::soc
