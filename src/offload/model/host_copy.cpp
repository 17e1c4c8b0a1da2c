#include "offload/model/host_copy.hpp"

#include <algorithm>

namespace isthmus::offload::model {
namespace {

/// Bytes that a core asks the memory for together: more than a line, so that a copy is not thousands of requests a
/// microsecond; little enough that others hardly wait behind it. Less than that stays in the core's own cache.
constexpr std::uint64_t kPieceOfCopy = 1024;

Time at_rate(std::uint64_t bytes, Bandwidth rate) {
  return transfer_time({static_cast<std::int64_t>(bytes)}, rate);
}

/// Copies between pageable and pinned memory; a coarse model has no pinned memory.
void stage(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty() && !to.empty()) std::ranges::copy(from, to.begin());
}

}  // namespace

CopyingCore::CopyingCore(const std::optional<CopySpec>& spec, platform::Grain grain)
    : moves(spec && grain == platform::Grain::fine ? 1 : 0, "moves"),
      moved(moves.size(), "moved"),
      turn(spec && grain == platform::Grain::coarse),
      spec_(spec.value_or(CopySpec{})) {}

void CopyingCore::copy(std::uint64_t bytes) {
  if (bytes <= spec_.fits)
    timer_.wait(at_rate(bytes, spec_.cached_rate));
  else if (bytes < kPieceOfCopy)
    timer_.wait(at_rate(bytes, spec_.rate));
  else if (turn.taken())
    turn.take({.command = nullptr, .bytes = bytes});
  else
    copy_through_memory(bytes);
}

// The core asks for each piece when its rate lets it, and for one ahead of what is moved: memory that is fast enough
// does not slow it. What memory has held up is not made good by a higher rate. The piece that is not whole comes first:
// of the last the memory has told before the core has done with it.
void CopyingCore::copy_through_memory(std::uint64_t bytes) {
  Time paced_from = timer_.now();
  std::uint64_t paced = 0;
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t rest = left % kPieceOfCopy;
    const std::uint64_t piece = rest > 0 ? rest : kPieceOfCopy;
    ask_for(piece);
    left -= piece;
    paced += piece;
    const Time next = paced_from + at_rate(paced, spec_.rate);
    timer_.wait_until(next);
    if (under_way_ > 1) await_oldest();
    if (timer_.now() > next) {
      paced_from = timer_.now();
      paced = 0;
    }
  }
  while (under_way_ > 0) await_oldest();
}

void CopyingCore::ask_for(std::uint64_t bytes) {
  fabric::HostRequest& request = moves[0].slot();
  request.kind = fabric::HostRequest::Kind::move;
  request.more = false;
  request.bytes = 0;
  request.together = static_cast<std::uint16_t>(2 * bytes);  // read and written
  request.due = {};
  ++under_way_;
}

void CopyingCore::await_oldest() {
  const fabric::HostMoved done = moved[0].read();
  timer_.wait_until(moved[0].came() + done.latency);
  passed_.add(kPieceOfCopy, timer_.now());
  --under_way_;
}

HostCopy::HostCopy(const std::optional<CopySpec>& spec, const std::optional<fabric::DmaSpec>& descriptors,
                   platform::Grain grain)
    : core(descriptors ? spec : std::nullopt, grain), copies_(spec) {
  if (!descriptors) return;
  descriptor_size_ = static_cast<std::uint64_t>(descriptors->descriptor_size.count);
  descriptor_payload_ = static_cast<std::uint64_t>(descriptors->descriptor_payload.count);
}

void HostCopy::step() {
  Command* command = in.read().command;
  if (command->chunk > 0) {
    copy_in_chunks(*command);
    out.push({command});
  } else {
    copy_whole(*command);
  }
}

void HostCopy::copy_whole(Command& command) {
  if (command.work == DeviceWork::to_device) {
    pass(command, command.bytes);
    stage(command.from, command.pinned);
  }
  submit.push({&command});
  Command& back = *arrived.read().command;
  if (back.work == DeviceWork::to_host) {
    pass(back, back.bytes);
    stage(back.pinned, back.to);
  }
  out.push({&back});
}

/// A chunk is copied into a place when the one that was there has gone, and out of it when it has come.
void HostCopy::copy_in_chunks(Command& command) {
  const std::uint64_t count = (command.bytes + command.chunk - 1) / command.chunk;
  if (command.work == DeviceWork::to_device) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i >= kPlaces) arrived.read();
      copy_chunk(command, i);
      submit_chunk(command, i);
    }
    for (std::uint64_t i = 0; i < std::min(count, kPlaces); ++i) arrived.read();
  } else {
    for (std::uint64_t i = 0; i < std::min(count, kPlaces); ++i) submit_chunk(command, i);
    for (std::uint64_t i = 0; i < count; ++i) {
      arrived.read();
      copy_chunk(command, i);
      if (i + kPlaces < count) submit_chunk(command, i + kPlaces);
    }
  }
}

void HostCopy::copy_chunk(Command& command, std::uint64_t index) {
  const std::uint64_t at = index * command.chunk;
  const std::uint64_t bytes = std::min(command.chunk, command.bytes - at);
  pass(command, bytes);
  if (command.pinned.empty()) return;
  const auto place = command.pinned.subspan(at % (kPlaces * command.chunk), bytes);
  if (command.work == DeviceWork::to_device)
    std::ranges::copy(command.from.subspan(at, bytes), place.begin());
  else
    std::ranges::copy(place, command.to.subspan(at, bytes).begin());
}

/// A chunk goes to the device as a command of its own.
void HostCopy::submit_chunk(const Command& command, std::uint64_t index) {
  const std::uint64_t at = index * command.chunk;
  const std::uint64_t first = at / descriptor_payload_;
  const std::uint64_t bytes = std::min(command.chunk, command.bytes - at);
  Command& chunk = chunks_.at(index % kPlaces);
  chunk.message = command.message;
  chunk.work = command.work;
  chunk.unit = command.unit;
  chunk.worker = command.worker;
  chunk.bytes = bytes;
  chunk.device = {.channel = command.device.channel, .byte = command.device.byte + at};
  if (command.work == DeviceWork::to_device)
    chunk.from = command.from.subspan(at, bytes);
  else
    chunk.to = command.to.subspan(at, bytes);
  chunk.job = {.descriptors = command.job.descriptors + first * descriptor_size_,
               .count = static_cast<std::uint32_t>((bytes + descriptor_payload_ - 1) / descriptor_payload_)};
  submit.push({&chunk});
}

void HostCopy::pass(Command& command, std::uint64_t bytes) {
  if (!copies_ || !command.copied) return;
  const Time begin = timer_.now();
  core.copy(bytes);
  command.spent[HostCost::copy] += timer_.now() - begin;
}

}  // namespace isthmus::offload::model
