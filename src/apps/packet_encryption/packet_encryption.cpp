// Packets of a network, encrypted as they pass (stacc VI-B3).
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "application/unclocked.hpp"
#include "apps/packet_encryption/counter.hpp"
#include "apps/packet_encryption/kernel.hpp"
#include "apps/packet_encryption/slots.hpp"
#include "apps/packet_encryption/trace.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/packet_beats.hpp"

namespace isthmus::apps {
namespace {

// The encryption of packets as they pass (stacc VI-B3): AES engines side by side, each with every other packet.

/// Moves a packet, a beat a cycle.
void pass_packet(In<NetPacket>& in, Out<NetPacket>& out) {
  bool ended = false;
  while (!ended)
    pass_burst(in, out, [&ended](std::span<const NetPacket> from, std::span<NetPacket> to) {
      const auto beats = from.first(beats_of_packet(from));
      std::memcpy(to.data(), beats.data(), beats.size_bytes());
      ended = beats.back().eop;
      return beats.size();
    });
}

/// Hands packets to the engines in turn.
struct PacketSplitter {
  In<NetPacket> in{"in"};
  std::array<Out<NetPacket>, kAesStreams> engines;
  std::uint8_t turn = 0;

  void step() {
    pass_packet(in, engines[turn]);
    turn = (turn + 1U) % kAesStreams;
  }
};

/// Encrypts every other packet: a block of 128 bit a cycle, two cycles a beat.
struct PacketEncryptor {
  static constexpr int initiation_interval = kBeatBytes / kAesBlock;

  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};

  Aes256Ctr cipher;
  std::uint64_t packet;  ///< number of the next packet
  std::uint64_t engines;

  /// Engine `number` of `all`, which take packets in turn.
  PacketEncryptor(const Aes256Key& key, std::uint64_t number, std::uint64_t all)
      : cipher(key), packet(number), engines(all) {}

  void step() {
    pass_burst(in, out, [this](std::span<const NetPacket> from, std::span<NetPacket> to) {
      const auto at_once = from.first(std::min(from.size(), Aes256Ctr::kMost / kBeatBytes));
      const auto beats = at_once.first(beats_of_packet(at_once));
      if (beats.front().sop) {
        cipher.begin(counter_of(packet));
        packet += engines;
      }
      const auto stream = cipher.stream(beats.size() * kBeatBytes, beats.back().eop);
      for (std::size_t i = 0; i < beats.size(); ++i)
        encrypt(beats[i], stream.subspan(i * kBeatBytes).first<kBeatBytes>(), to[i]);
      if (beats.front().sop) std::copy_n(beats.front().data.begin(), kClearBytes, to.front().data.begin());
      return beats.size();
    });
  }

 private:
  static void encrypt(const NetPacket& __restrict beat, std::span<const std::byte, kBeatBytes> stream,
                      NetPacket& __restrict to) {
    to.sop = beat.sop;
    to.eop = beat.eop;
    to.len = beat.len;
    for (std::size_t i = 0; i < kBeatBytes; ++i) to.data[i] = beat.data[i] ^ stream[i];
  }
};

/// Takes them back in the order in which they came.
struct PacketMerger {
  std::array<In<NetPacket>, kAesStreams> engines;
  Out<NetPacket> out{"out"};
  std::uint8_t turn = 0;

  void step() {
    pass_packet(engines[turn], out);
    turn = (turn + 1U) % kAesStreams;
  }
};

/// Packets between splitter and engine, and between engine and merger: an engine is as fast as half of the network, and
/// while one hands on a packet the other's waits.
constexpr std::size_t kEnginePackets = 2;
/// Words of a FIFO in block RAM: a block is no shallower. On threads each actor runs until its FIFO is full or empty,
/// so that short ones make it change as often as it moves a packet.
constexpr std::size_t kBlockRamWords = 512;
/// Cycles from a block's entry into an engine to its end: a round each.
constexpr int kEngineDepth = plain::kAesRounds + 1;

/// What a run has: its packets, its key.
struct EncryptionData {
  Aes256Key key{};
  std::uint64_t seed = 1;
  std::size_t packet_size = 0;
  std::shared_ptr<const Trace> trace{};
  std::unique_ptr<TraceWriter> writer{};

  std::size_t largest() const { return trace != nullptr ? trace->largest() : packet_size; }
  std::size_t length(int packet) const {
    return trace != nullptr ? trace->packet(packet % trace->packets()).size() : packet_size;
  }
  void fill(int packet, std::span<std::byte> bytes) const {
    if (trace != nullptr)
      std::ranges::copy(trace->packet(packet % trace->packets()), bytes.begin());
    else
      generate_packet(seed, packet, bytes);
  }
};

/// OpenSSL's own counter mode over one packet after another: what the engines, who count by themselves, are held
/// against.
class Reference {
 public:
  explicit Reference(const Aes256Key& key) : key_(key), context_(EVP_CIPHER_CTX_new()) {
    if (context_ == nullptr ||
        EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, key_.data(), nullptr) != 1)
      throw Error("OpenSSL: AES-256-CTR could not be set up");
  }

  void encrypt(std::uint64_t packet, std::span<std::byte> bytes) {
    const CounterBlock first = counter_of(packet);
    const std::size_t clear = std::min(kClearBytes, bytes.size());
    std::array<std::byte, kClearBytes> header{};
    std::ranges::copy(bytes.first(clear), header.begin());
    auto* data = reinterpret_cast<unsigned char*>(bytes.data());
    int written = 0;
    if (EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, nullptr, first.data()) != 1 ||
        EVP_EncryptUpdate(context_.get(), data, &written, data, static_cast<int>(bytes.size())) != 1)
      throw Error("OpenSSL: AES-256-CTR could not be computed");
    std::copy_n(header.begin(), clear, bytes.begin());
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  Aes256Key key_;
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

void lay_out(program::Kernel& kernel, const Aes256Key& key, std::size_t largest) {
  const std::size_t packets = kEnginePackets * ((largest + kBeatBytes - 1) / kBeatBytes);
  const int beats = static_cast<int>(std::max(packets, kBlockRamWords));
  auto& splitter = kernel.add<PacketSplitter>("splitter");
  auto& merger = kernel.add<PacketMerger>("merger");
  kernel.from_network(splitter.in);
  kernel.to_network(merger.out);
  const auto unit = static_cast<std::uint64_t>(kernel.unit().number);
  const auto units = static_cast<std::uint64_t>(kernel.unit().of);
  for (std::size_t i = 0; i < kAesStreams; ++i) {
    // The packets that a copy of the kernel is given are dealt to its engines once more.
    auto& engine = kernel.add<PacketEncryptor>(fmt::format("AES {}", i), key, unit + i * units, units * kAesStreams);
    ChannelOptions fifo = program::unclocked(beats);
    kernel.connect(splitter.engines[i], engine.in, fifo);
    fifo.latency = kEngineDepth;
    kernel.connect(engine.out, merger.engines[i], fifo);
  }
}

Aes256Key key_of(const std::string& text) {
  Aes256Key key{};
  const auto digits = [&](std::size_t byte) {
    const char* const at = text.data() + 2 * byte;
    return std::from_chars(at, at + 2, key[byte], 16).ptr == at + 2;
  };
  bool right = text.size() == 2 * key.size();
  for (std::size_t i = 0; right && i < key.size(); ++i) right = digits(i);
  if (!right) throw Error(fmt::format("key: expected {} hexadecimal digits, got '{}'", 2 * key.size(), text));
  return key;
}

void fill_slots(const EncryptionData& state, std::size_t slot, int message, std::span<std::byte> slots) {
  int packet = message * static_cast<int>(slots.size() / slot);
  for (std::size_t at = 0; at < slots.size(); at += slot, ++packet)
    state.fill(packet, begin_slot(slots.subspan(at, slot), static_cast<std::uint64_t>(packet), state.length(packet)));
}

/// Hands the packet of each slot to `each`, with its number.
template <class Byte, class Each>
void each_packet(std::span<Byte> slots, std::size_t slot, const Each& each) {
  for (std::size_t at = 0; at < slots.size(); at += slot) {
    const SlotHead head = head_of(slots.subspan(at));
    each(head.packet, slots.subspan(at + sizeof(head), head.bytes));
  }
}

program::DeviceKernel device_kernel(const Aes256Key& key, std::size_t slot, std::size_t batch) {
  const plain::Aes256Schedule schedule = plain::aes256_expand(key.data());
  std::vector<std::byte> bytes(sizeof(schedule) + kAesBlock);  // whole words
  std::memcpy(bytes.data(), schedule.bytes, sizeof(schedule));
  return {.twin = packet_encryption_kernel(),
          .arguments = {program::InputBuffer{}, program::OutputBuffer{}, program::ConstantBuffer{},
                        static_cast<std::int32_t>(slot), static_cast<std::int32_t>(batch)},
          .columns = slot / kAesBlock,
          .rows = batch,
          .constants = {std::move(bytes)}};
}

std::shared_ptr<EncryptionData> state_of(const program::Values& values) {
  auto state = std::make_shared<EncryptionData>();
  state->key = key_of(values.text("key"));
  state->packet_size = static_cast<std::size_t>(values.integer("packet_size"));
  if (values.has("input")) state->trace = std::make_shared<Trace>(values.text("input"));
  return state;
}

program::Packets packets_of(const program::Values& values, const std::shared_ptr<EncryptionData>& state) {
  program::Packets packets;
  packets.most = state->largest();
  packets.length = [state](int packet) { return state->length(packet); };
  packets.fill = [state](int packet, std::span<std::byte> bytes) { state->fill(packet, bytes); };
  packets.reference = [reference = std::make_shared<Reference>(state->key)](std::uint64_t position,
                                                                            std::vector<std::byte>& bytes) {
    reference->encrypt(position, bytes);
  };
  if (values.has("output"))
    packets.received = [state](int packet, std::span<const std::byte> bytes) { state->writer->write(packet, bytes); };
  packets.enter = [](std::uint64_t position, std::span<const std::byte> bytes, std::span<std::byte> slot) {
    std::ranges::copy(bytes, begin_slot(slot, position, bytes.size()).begin());
  };
  packets.leave = [](std::span<const std::byte> slot) {
    const auto packet = slot.subspan(sizeof(SlotHead));
    return packet.first(std::min<std::size_t>(packet.size(), head_of(slot).bytes));
  };
  packets.load = values.number("load");
  return packets;
}

program::ByteApplication encryption_of(const program::Values& values) {
  const auto state = state_of(values);
  const auto batch = static_cast<std::size_t>(values.integer("batch"));
  const std::size_t slot = slot_bytes(state->largest());
  program::Extras extras{.counted = "packets",
                         .facts = {{"aes_streams", kAesStreams}},
                         .count = 1 << 16,
                         .in_message = static_cast<int>(batch)};
  if (state->trace != nullptr) extras.count = state->trace->packets();
  extras.payload = state->trace != nullptr ? state->trace->mean() : state->packet_size;
  extras.packets = packets_of(values, state);
  extras.independent = true;
  extras.device = device_kernel(state->key, slot, batch);
  extras.host_threads = static_cast<int>(values.integer("host_threads"));
  extras.open = [state, values](const program::Opening& opening) {
    state->seed = opening.seed;
    if (values.has("output")) state->writer = std::make_unique<TraceWriter>(values.text("output"), state->trace);
  };
  if (values.has("output")) {
    extras.received = [state, slot](std::span<const std::byte> slots) {
      each_packet(slots, slot, [&](std::uint64_t packet, std::span<const std::byte> bytes) {
        state->writer->write(static_cast<int>(packet), bytes);
      });
    };
    extras.finished = [state] { state->writer->finish(); };
  }
  return program::Application<std::byte, std::byte>{
      .name = "packet-encryption",
      .summary = "packets of a network, encrypted with AES-256-CTR (Ruan et al., ST-Accel, FCCM 2018, VI-B3)",
      .input = batch * slot,
      .output = batch * slot,
      .kernel = [key = state->key,
                 largest = state->largest()](program::Kernel& kernel) { lay_out(kernel, key, largest); },
      .fill = [state, slot](int message, std::span<std::byte> slots) { fill_slots(*state, slot, message, slots); },
      .reference =
          [slot, reference = std::make_shared<Reference>(state->key)](std::span<const std::byte> in,
                                                                      std::span<std::byte> out) {
            std::ranges::copy(in, out.begin());
            each_packet(out, slot,
                        [&](std::uint64_t packet, std::span<std::byte> bytes) { reference->encrypt(packet, bytes); });
          },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker packet_encryption() {
  using enum program::ParameterKind;
  return {
      .parameters = {{.name = "key",
                      .kind = text,
                      .help = "the key of the cipher: 64 hexadecimal digits",
                      .preset = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"},
                     {.name = "packet_size",
                      .help = "size of the generated packets",
                      .unit = "B",
                      .min = 64,
                      .max = 9000,
                      .preset = "1500"},
                     {.name = "input",
                      .kind = file,
                      .help = "a pcap file whose packets are sent; without it packets are generated"},
                     {.name = "output", .kind = text, .help = "a pcap file to write the packets that come back to"},
                     {.name = "load",
                      .kind = number,
                      .help = "offered load as a share of the network's line rate, on models",
                      .min = 0.001,
                      .max = 1,
                      .preset = "1"},
                     {.name = "batch",
                      .help = "packets in a kernel launch, in flows where the host hands them to the device",
                      .min = 1,
                      .max = 4096,
                      .preset = "64"},
                     {.name = "host_threads",
                      .help = "host threads that share the device in the flow offload, each with batches of its own",
                      .min = 1,
                      .max = 16,
                      .preset = "1"}},
      .make = encryption_of};
}

}  // namespace isthmus::apps
