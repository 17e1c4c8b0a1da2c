// An application that is described and not written: what crosses, what its kernel touches of the device's memory and
// how long it computes, what the host does meanwhile.
#include "isthmus/apps/described.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "apps/described/kernel.hpp"
#include "apps/described/on_chip.hpp"
#include "apps/described/transfers.hpp"
#include "apps/described/work.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using program::KernelArgument;
using traffic::Lying;
using traffic::Side;
using traffic::Work;

constexpr auto kWord = static_cast<std::uint64_t>(kWordBytes);

/// Buffers of a launch, which begins with them all.
constexpr std::size_t kMostBuffers = 480;

/// Distinct in each message and at each place (splitmix64, Steele et al. 2014).
std::uint64_t drawn(int message, std::size_t place) {
  std::uint64_t value = (static_cast<std::uint64_t>(message) << 40U) + place + 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

void fill(int message, std::span<std::uint64_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = drawn(message, i);
}

std::uint64_t whole_number(const program::Values& values, const char* name) {
  return static_cast<std::uint64_t>(values.integer(name));
}

/// A message, of one unit or several.
struct Described {
  std::vector<traffic::Transfers> transfers;
  Lying in;
  Lying out;
  Work work;
  bool in_place;
  bool by_ports;

  explicit Described(const program::Values& values)
      : transfers(traffic::read_transfers(values.text("transfers"))),
        in_place(values.text("in_place") == "yes"),
        by_ports(values.text("in_place") == "ports") {
    in = side_of(transfers, true);
    out = side_of(transfers, false);
    work.launches = whole_number(values, "launches");
    work.in = Side::of(in.all() / kWord, whole_number(values, "device_read"), work.launches);
    work.out = Side::of(out.all() / kWord, whole_number(values, "device_write"), work.launches);
    work.cycles = whole_number(values, "cycles");
    work.read_burst = work.write_burst = (whole_number(values, "burst") + kWord - 1) / kWord;
    if (in_place) lay_in_place();
    refuse_contradictions(whole_number(values, "device_write"));
  }

  /// Each word comes once, in order, and leaves once: nothing has to be kept.
  bool streams() const {
    return !in_place && !by_ports && work.launches == 1 && work.read_burst == 0 && !work.in.resident &&
           !work.out.resident && work.in.moves > 0 && work.in.moves <= work.in.words &&
           work.out.moves == work.out.words;
  }

 private:
  /// A buffer for each part that is read, and one of the output, all of which each launch writes.
  void lay_in_place() {
    if (work.in.resident || work.out.resident || work.in.moves == 0 || work.out.moves != work.out.words)
      throw Error("in_place: expected bytes in both directions, and the output written once by each launch");
    work.in = work.in.evenly();
    work.write_burst = 0;
    in = {.bytes = std::vector(work.in.parts, work.in.words / work.in.parts * kWord), .pinned = {}};
    out = {.bytes = {out.all()}, .pinned = {}};
  }

  void refuse_contradictions(std::uint64_t device_write) const {
    if (!work.out.resident && work.out.moves * work.launches < work.out.words)
      throw Error(fmt::format("device_write: expected the {} bytes that go to the host or more, got {}", out.all(),
                              device_write));
    if (in.bytes.size() + out.bytes.size() > kMostBuffers)
      throw Error(fmt::format("transfers: expected {} or less in a message, got {}", kMostBuffers,
                              in.bytes.size() + out.bytes.size()));
  }
};

std::vector<KernelArgument> arguments_of(const Described& of, std::uint64_t launch) {
  std::vector<KernelArgument> list;
  if (of.in_place) return {program::InputBuffer{launch % of.work.in.parts}, program::OutputBuffer{}};
  const auto add = [&list](const Side& side, std::size_t buffers, auto buffer, std::size_t scratch) {
    if (side.resident && side.words > 0) list.emplace_back(program::ScratchBuffer{scratch});
    for (std::size_t i = 0; i < buffers; ++i) list.emplace_back(decltype(buffer){i});
  };
  add(of.work.in, of.in.bytes.size(), program::InputBuffer{}, 0);
  const bool both = of.work.in.resident && of.work.in.words > 0;
  add(of.work.out, of.out.bytes.size(), program::OutputBuffer{}, both ? 1 : 0);
  list.emplace_back(static_cast<std::int32_t>(launch));
  return list;
}

program::DeviceKernel device_kernel(const Described& of) {
  traffic::Buffers buffers{.in = of.in.bytes, .out = of.out.bytes};
  program::DeviceKernel kernel{.twin = {},
                               .arguments = arguments_of(of, 0),
                               .inputs = of.in.bytes,
                               .outputs = of.out.bytes,
                               .pinned_inputs = of.in.pinned,
                               .pinned_outputs = of.out.pinned};
  for (auto [side, held] : {std::pair{&of.work.in, &buffers.in}, std::pair{&of.work.out, &buffers.out}}) {
    if (!side->resident || side->words == 0) continue;
    held->push_back(side->words * kWord);
    kernel.scratch.push_back(held->back());
  }
  kernel.twin = traffic::kernel_of(of.work, buffers);
  for (std::uint64_t launch = 1; launch < of.work.launches; ++launch)
    kernel.further.push_back(arguments_of(of, launch));
  return kernel;
}

std::span<const Word> words(std::span<const std::uint64_t> values) {
  return {reinterpret_cast<const Word*>(values.data()), values.size_bytes() / sizeof(Word)};
}
std::span<Word> words(std::span<std::uint64_t> values) {
  return {reinterpret_cast<Word*>(values.data()), values.size_bytes() / sizeof(Word)};
}

program::ByteApplication of_values(const program::Values& values) {
  const Described of(values);
  program::Extras extras{
      .counted = values.text("counted"),
      .count = 100,
      .in_message = static_cast<int>(values.integer("in_message")),
      .steady = true,
      .host_work = Time::ns(values.integer("host_time")),
  };
  if (of.by_ports) {
    const traffic::ChipMessage message{.transfers = of.transfers, .work = of.work, .host = extras.host_work};
    extras.buffers = traffic::buffers_of(message);
    extras.together = traffic::on_chip(message);
  } else {
    extras.device = device_kernel(of);
  }
  if (of.in_place) {
    extras.parts = {"onchip"};
    extras.datapath = traffic::datapath_of(of.work);
  }
  program::Application<std::uint64_t, std::uint64_t> application{
      .name = values.text("name"),
      .summary = "runs an application that a description file gives",
      .input = of.in.all() / sizeof(std::uint64_t),
      .output = of.out.all() / sizeof(std::uint64_t),
      .fill = fill,
      .reference = [work = of.work](std::span<const std::uint64_t> in,
                                    std::span<std::uint64_t> out) { traffic::reference(work, words(in), words(out)); },
      .extras = std::move(extras)};
  if (of.streams()) application.kernel = [work = of.work](program::Kernel& kernel) { place_stream(work, kernel); };
  return application.bytes();
}

program::Parameter count_of(const char* name, const char* help, const char* preset, double min = 0) {
  return {.name = name, .help = help, .min = min, .max = std::numeric_limits<std::int32_t>::max(), .preset = preset};
}

program::Parameter text_of(const char* name, const char* help, const char* preset) {
  return {.name = name, .kind = program::ParameterKind::text, .help = help, .preset = preset};
}

program::Parameter bytes_of(const char* name, const char* help, const char* preset) {
  return {.name = name,
          .help = help,
          .unit = "B",
          .min = 0,
          .max = static_cast<double>(std::int64_t{1} << 40U),
          .preset = preset};
}

}  // namespace

program::Maker described() {
  return {.parameters = {text_of("name", "name of the application", "described"),
                         text_of("counted", "plural name of its units", "units"),
                         count_of("in_message", "units in a message", "1", 1),
                         text_of("transfers", "transfers of a message: DIRECTION:MEMORY:BYTESxCOUNT[:CPU:ORDER],...",
                                 "to-device:pageable:1048576x1,to-host:pageable:1048576x1"),
                         count_of("launches", "kernel launches for a message", "1", 1),
                         count_of("cycles",
                                  "cycles of kernel.clock that a launch computes, without its memory accesses", "0"),
                         bytes_of("device_read", "bytes that a message reads from device memory", "1048576"),
                         bytes_of("device_write", "bytes that a message writes to device memory", "1048576"),
                         bytes_of("burst", "bytes of one access to device memory; 0: in order", "0"),
                         {.name = "host_time",
                          .help = "time that the host computes for a message",
                          .unit = "ns",
                          .min = 0,
                          .max = 1e12,
                          .preset = "0"},
                         {.name = "in_place",
                          .kind = program::ParameterKind::choice,
                          .help = "whether the circuit reads messages in the host's memory, as often as it needs them: "
                                  "over a coherent link (yes), or by a chip's ports",
                          .choices = {"no", "yes", "ports"},
                          .preset = "no"}},
          .make = of_values};
}

}  // namespace isthmus::apps
