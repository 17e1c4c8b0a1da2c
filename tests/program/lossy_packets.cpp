// A program of one's own whose kernel turns every bit of each packet over and, as its parameter `kernel` says, keeps
// all of them in order, drops every fifth, or swaps each two neighbours.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isthmus/program.hpp"

namespace {

using isthmus::NetPacket;
using isthmus::program::Packets;
using isthmus::program::ParameterKind;
using isthmus::program::Values;

constexpr std::size_t kSize = 1500;

void invert(std::span<std::byte> bytes) {
  for (std::byte& each : bytes) each = ~each;
}

/// Sends every packet, or all but every `dropped`-th.
struct Keeper {
  explicit Keeper(int every) : dropped(every) {}
  isthmus::In<NetPacket> in{"in"};
  isthmus::Out<NetPacket> out{"out"};
  int dropped;  ///< none with 0
  int packet = 1;
  void step() {
    NetPacket beat = in.read();
    invert(beat.data);
    if (dropped == 0 || packet % dropped != 0) out.push(beat);
    if (beat.eop) ++packet;
  }
};

/// Sends the second of each two packets first.
struct Swapper {
  isthmus::In<NetPacket> in{"in"};
  isthmus::Out<NetPacket> out{"out"};
  void step() {
    const std::vector<NetPacket> first = packet();
    for (const NetPacket& beat : packet()) out.push(beat);
    for (const NetPacket& beat : first) out.push(beat);
  }
  std::vector<NetPacket> packet() {
    std::vector<NetPacket> beats;
    do {
      beats.push_back(in.read());
      invert(beats.back().data);
    } while (!beats.back().eop);
    return beats;
  }
};

void place(isthmus::program::Kernel& kernel, auto& actor) {
  kernel.from_network(actor.in);
  kernel.to_network(actor.out);
}

Packets generated(const std::string& transport) {
  Packets packets;
  packets.most = kSize;
  packets.length = [](int) { return kSize; };
  packets.fill = [](int packet, std::span<std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>((static_cast<std::size_t>(packet) >> (8 * (i % 4))) + i * 13);
  };
  packets.reference = [](std::uint64_t, std::vector<std::byte>& bytes) { invert(bytes); };
  packets.transport = transport;
  return packets;
}

isthmus::program::ByteApplication inverter_of(const Values& values) {
  isthmus::program::Extras extras{.counted = "packets"};
  extras.payload = kSize;
  extras.packets = generated(values.text("transport"));
  return {.name = "lossy-packets",
          .summary = "packets of a network, of which its kernel may lose or reorder some",
          .input = 1536,
          .output = 1536,
          .kernel =
              [how = values.text("kernel")](isthmus::program::Kernel& kernel) {
                if (how == "swap")
                  place(kernel, kernel.add<Swapper>("swapper"));
                else
                  place(kernel, kernel.add<Keeper>("keeper", how == "drop" ? 5 : 0));
              },
          .fill = {},
          .reference = {},
          .extras = std::move(extras)};
}

}  // namespace

int main(int argc, char** argv) {
  const isthmus::program::Maker inverter{.parameters = {{.name = "kernel",
                                                         .kind = ParameterKind::choice,
                                                         .help = "what its kernel does with packets",
                                                         .choices = {"keep", "drop", "swap"},
                                                         .preset = "keep"},
                                                        {.name = "transport",
                                                         .kind = ParameterKind::choice,
                                                         .help = "what carries packets on threads",
                                                         .choices = {"memory", "unix"},
                                                         .preset = "memory"}},
                                         .make = inverter_of};
  return isthmus::program::main_of(argc, argv, inverter);
}
