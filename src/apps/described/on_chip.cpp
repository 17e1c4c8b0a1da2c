#include "apps/described/on_chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "apps/chip_run.hpp"
#include "apps/described/kernel.hpp"
#include "isthmus/base/scatter.hpp"

namespace isthmus::apps::traffic {
namespace {

using soc::Cpu;

enum Own : std::uint8_t { kSources, kResults };

constexpr const char* kHost = "host";
constexpr const char* kWrite = "write";
constexpr const char* kKernel = "kernel";
constexpr const char* kRead = "read";

constexpr double kSteady = 0.002;     // of a message's time by which the next may differ
constexpr std::uint64_t kPiece = 16;  // bytes that a core moves at a time: two registers

/// The bytes of one transfer in a side of a message.
struct Stretch {
  const Transfers* of;
  std::size_t buffer;
  std::uint64_t first;  ///< its first byte in the message
};

std::vector<Stretch> stretches(const std::vector<Transfers>& transfers, bool to_device) {
  std::vector<Stretch> found;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (transfers[i].to_device != to_device) continue;
    found.push_back({.of = &transfers[i], .buffer = i, .first = at});
    at += transfers[i].all();
  }
  return found;
}

std::uint64_t bytes_of(const std::vector<Stretch>& side) {
  return side.empty() ? 0 : side.back().first + side.back().of->all();
}

std::span<const Word> words(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const Word*>(bytes.data()), bytes.size() / sizeof(Word)};
}
std::span<Word> words(std::span<std::byte> bytes) {
  return {reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word)};
}

/// Pieces of a stretch in the order in which a core goes through it.
template <class Each>
void by_pieces(const Transfers& of, const Each& each) {
  const std::uint64_t count = of.all() / kPiece;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t place =
        of.in_order ? i : scattered(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(count));
    each(i * kPiece, place * kPiece);
  }
}

/// The part of each buffer that a launch touches of its words.
std::vector<soc::Part> touched(const Side& side, std::uint64_t burst, std::uint64_t launch,
                               const std::vector<Stretch>& lying) {
  if (side.resident || side.words == 0 || side.moves == 0) return {};
  const std::uint64_t begin = side.begin(launch) * kWordBytes;
  const std::uint64_t whole = side.end(launch) * kWordBytes;
  const std::uint64_t end = burst > 0 ? whole : std::min<std::uint64_t>(whole, begin + side.moves * kWordBytes);
  std::vector<soc::Part> parts;
  for (const Stretch& each : lying) {
    const std::uint64_t from = std::max(begin, each.first);
    const std::uint64_t to = std::min(end, each.first + each.of->all());
    if (from < to) parts.push_back({.buffer = each.buffer, .offset = from - each.first, .bytes = to - from});
  }
  return parts;
}

class Messages {
 public:
  Messages(const ChipMessage& message, const program::TogetherJob& job)
      : message_(message),
        job_(job),
        in_(stretches(message_.transfers, true)),
        out_(stretches(message_.transfers, false)) {}

  program::Together run(const platform::Description& board) {
    const auto count = static_cast<std::uint64_t>(job_.count);
    std::vector<soc::Buffer> buffers = buffers_of(message_);
    for (std::size_t i = 0; i < message_.transfers.size(); ++i) buffers[i].bytes = message_.transfers[i].all();
    const soc::Layout layout{.buffers = std::move(buffers),
                             .areas = {count * own(in_), count * own(out_)},
                             .stages = {kHost, kWrite, kKernel, kRead, soc::kMaintenance}};
    program::Together told = run_on_chip(
        board, layout, job_, [this](Cpu& cpu, MessageTimes& times) { program(cpu, times); },
        kernel_behind_ports(message_.work, {.in = held(in_, message_.work.in), .out = held(out_, message_.work.out)}));
    extend(told);
    return told;
  }

 private:
  /// Bytes of a message that lie in memory of the program's own: all, where any of them is pageable.
  static std::uint64_t own(const std::vector<Stretch>& side) {
    const bool any = std::ranges::any_of(side, [](const Stretch& each) { return !each.of->pinned; });
    return any ? whole_pages(bytes_of(side)) : 0;
  }
  static std::vector<std::size_t> held(const std::vector<Stretch>& lying, const Side& side) {
    std::vector<std::size_t> bytes;
    bytes.reserve(lying.size() + 1);
    for (const Stretch& each : lying) bytes.push_back(each.of->all());
    if (side.resident && side.words > 0) bytes.push_back(side.words * kWordBytes);
    return bytes;
  }

  void program(Cpu& cpu, MessageTimes& times) {
    const std::vector<soc::Pass> passes = passes_of(cpu);
    for (; timed_ < job_.count && !is_steady(times); ++timed_) {
      const int message = timed_;
      cpu.stage(kHost);
      before_ = cpu.stages();
      times.begin(cpu);
      for (const Stretch& each : in_)
        if (!each.of->pinned) provide(cpu, each, message);
      cpu.stage(kHost);
      cpu.core.work(message_.host);
      cpu.stage(kWrite);
      for (const Stretch& each : in_) write(cpu, each, message);
      for (const soc::Pass& pass : passes) cpu.run(pass);
      cpu.stage(kRead);
      for (const Stretch& each : out_) read(cpu, each, message);
      times.end(cpu);
      job_.messages.finished(message);
    }
  }

  /// Two messages in sequence took as long: those behind them will too.
  bool is_steady(const MessageTimes& times) const {
    if (job_.grain == platform::Grain::fine || times.latencies().size() < 2) return false;
    const double last = times.latencies().back().seconds();
    return std::abs(last - times.latencies().end()[-2].seconds()) <= kSteady * last;
  }

  /// The messages behind those that were timed take as long as the last of them; their bytes pass the circuit alone.
  void extend(program::Together& told) const {
    const int more = job_.count - timed_;
    for (int message = timed_; message < job_.count; ++message) {
      pass(message_.work, words(job_.messages.input(message)), words(job_.messages.output(message)));
      job_.messages.finished(message);
      told.latencies.push_back(told.latencies.back());
    }
    if (more == 0) return;
    told.grain = platform::Grain::coarse;
    told.elapsed = {};
    for (auto& [name, time] : told.stages) {
      const auto before = std::ranges::find(before_, name, &std::pair<std::string, Time>::first);
      time += Time::fs((time - before->second).femtoseconds() * more);
      told.elapsed += time;
    }
  }

  std::vector<soc::Pass> passes_of(const Cpu& cpu) const {
    const Work& work = message_.work;
    std::vector<std::uint64_t> arguments = places(cpu, in_, work.in, scratch_in());
    const std::vector<std::uint64_t> out = places(cpu, out_, work.out, scratch_out());
    arguments.insert(arguments.end(), out.begin(), out.end());
    std::vector<soc::Pass> passes;
    for (std::uint64_t launch = 0; launch < work.launches; ++launch) {
      soc::Pass pass{.stage = kKernel,
                     .reads = touched(work.in, work.read_burst, launch, in_),
                     .writes = touched(work.out, work.write_burst, launch, out_)};
      pass.call.arguments = arguments;
      pass.call.arguments.push_back(offload::kernel_argument(static_cast<std::int32_t>(launch)));
      passes.push_back(std::move(pass));
    }
    return passes;
  }

  /// Buffers that stay with the circuit come behind the transfers'.
  std::size_t scratch_in() const { return message_.transfers.size(); }
  std::size_t scratch_out() const {
    const Side& in = message_.work.in;
    return scratch_in() + (in.resident && in.words > 0 ? 1 : 0);
  }

  static std::vector<std::uint64_t> places(const Cpu& cpu, const std::vector<Stretch>& lying, const Side& side,
                                           std::size_t scratch) {
    std::vector<std::uint64_t> arguments;
    arguments.reserve(lying.size() + 1);
    for (const Stretch& each : lying) arguments.push_back(offload::kernel_argument(cpu.place(each.buffer)));
    if (side.resident && side.words > 0) arguments.push_back(offload::kernel_argument(cpu.place(scratch)));
    return arguments;
  }

  /// A core makes the bytes where the circuit reads them, or copies them there from memory of its own, which has them
  /// in the order in which it takes them.
  void write(Cpu& cpu, const Stretch& to, int message) {
    const std::span<const std::byte> bytes = bytes_to(to, message);
    const std::uint64_t own = own_place(in_, to, message);
    std::array<std::byte, kPiece> piece{};
    by_pieces(*to.of, [&](std::uint64_t number, std::uint64_t place) {
      if (to.of->pinned)
        std::memcpy(piece.data(), &bytes[place], kPiece);
      else
        cpu.load_area(kSources, own + number, piece);
      cpu.copy_work(kPiece);
      cpu.store(to.buffer, place, piece);
    });
    if (to.of->read) look_at(cpu, to);
  }

  std::span<const std::byte> bytes_to(const Stretch& to, int message) const {
    return job_.messages.input(message).subspan(to.first, to.of->all());
  }

  /// The address of a stretch in memory of the program's own, which has pages of its own for each message.
  static std::uint64_t own_place(const std::vector<Stretch>& side, const Stretch& of, int message) {
    return static_cast<std::uint64_t>(message) * whole_pages(bytes_of(side)) + of.first;
  }

  /// Before anything of the message is read, as a core reads ahead.
  void provide(Cpu& cpu, const Stretch& to, int message) const {
    const std::span<const std::byte> bytes = bytes_to(to, message);
    std::vector<std::byte> taken(bytes.size());
    by_pieces(*to.of,
              [&](std::uint64_t number, std::uint64_t place) { std::memcpy(&taken[number], &bytes[place], kPiece); });
    cpu.provide_area(kSources, own_place(in_, to, message), taken);
  }

  static void look_at(Cpu& cpu, const Stretch& at) {
    std::array<std::byte, kPiece> piece{};
    by_pieces(*at.of, [&](std::uint64_t /*number*/, std::uint64_t place) {
      cpu.load(at.buffer, place, piece);
      cpu.copy_work(kPiece);
    });
  }

  void read(Cpu& cpu, const Stretch& from, int message) {
    const std::span<std::byte> bytes = job_.messages.output(message).subspan(from.first, from.of->all());
    const std::uint64_t own = own_place(out_, from, message);
    by_pieces(*from.of, [&](std::uint64_t number, std::uint64_t place) {
      const std::span piece = bytes.subspan(place, kPiece);
      cpu.load(from.buffer, place, piece);
      cpu.copy_work(kPiece);
      if (!from.of->pinned) cpu.store_area(kResults, own + number, piece);
      if (from.of->written) cpu.store(from.buffer, place, piece);
    });
  }

  const ChipMessage& message_;
  const program::TogetherJob& job_;
  std::vector<Stretch> in_;
  std::vector<Stretch> out_;
  int timed_ = 0;                                     ///< messages whose tokens ran
  std::vector<std::pair<std::string, Time>> before_;  ///< times of the stages before the last of them
};

soc::Buffer buffer_of(const Transfers& of, std::size_t number) {
  return {.name = fmt::format("transfer.{}", number),
          .bytes = of.whole(),
          .direction = of.to_device ? soc::Direction::to_fpga : soc::Direction::to_cpu,
          .mostly_written = of.to_device && !of.read,
          .sequential = of.in_order,
          .can_be_sequential = false};
}

}  // namespace

std::vector<soc::Buffer> buffers_of(const ChipMessage& message) {
  std::vector<soc::Buffer> buffers;
  buffers.reserve(message.transfers.size());
  for (std::size_t i = 0; i < message.transfers.size(); ++i) buffers.push_back(buffer_of(message.transfers[i], i));
  const auto add = [&buffers](const Side& side, const char* name) {
    if (side.resident && side.words > 0)
      buffers.push_back({.name = name, .bytes = side.words * kWordBytes, .direction = soc::Direction::within});
  };
  add(message.work.in, "read");
  add(message.work.out, "written");
  return buffers;
}

program::TogetherRun on_chip(const ChipMessage& message) {
  return [message](const platform::Description& board, const program::TogetherJob& job) {
    return Messages(message, job).run(board);
  };
}

}  // namespace isthmus::apps::traffic
