#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The tokens of the I/O interfaces (stacc table I) and of memory-mapped I/O. Requests and responses are channels
/// apart, so that decoupled access/execute is the natural way to write an actor (stacc IV-C).
namespace isthmus {

/// 512 bit: what an FPGA's data path moves in a cycle.
struct Word {
  std::array<std::byte, 64> bytes;
};
inline constexpr std::int64_t kWordBytes = sizeof(Word);

/// Asks for `num` words from `addr` on; the answer is `num` PcieReadResp in order.
struct PcieReadReq {
  std::uint8_t num;
  std::uint64_t addr;
};
struct PcieReadResp {
  Word data;
};
/// Announces `num` words that follow as PcieWriteData.
struct PcieWriteApply {
  std::uint8_t num;
  std::uint64_t addr;
};
struct PcieWriteData {
  Word data;
};

struct DramReadReq {
  std::uint8_t num;
  std::uint64_t addr;
};
struct DramReadResp {
  Word data;
};
struct DramWriteApply {
  std::uint8_t num;
  std::uint64_t addr;
};
struct DramWriteData {
  Word data;
};

/// A beat of a network packet: 256 bit, of which the last beat uses `len` bytes.
struct NetPacket {
  bool sop;          ///< start of packet
  bool eop;          ///< end of packet
  std::uint8_t len;  ///< 5 bits; 0 means 32
  std::array<std::byte, 32> data;
};
inline constexpr std::size_t kBeatBytes = sizeof(NetPacket::data);

/// The number of bytes of a beat that hold data, and the `len` of a beat with that number, 1 to 32.
constexpr std::size_t bytes_of(const NetPacket& beat) {
  return beat.len == 0 ? kBeatBytes : beat.len;
}
constexpr std::uint8_t len_of(std::size_t bytes) {
  return static_cast<std::uint8_t>(bytes % kBeatBytes);
}

/// A word of a stream between an application's actors and the host link. `last` closes a message: the buffer that it
/// ends in goes to the host although it is not full.
struct StreamWord {
  Word data;
  bool last;
};

/// A store or load of host software to the device's registers.
struct MmioRequest {
  enum class Kind : std::uint8_t { store, load };
  Kind kind;
  std::uint8_t bytes;  ///< 1 to 64, the most that one store of a CPU carries (stacc III-D)
  std::uint16_t tag;   ///< returned with the reply to a load
  std::uint64_t addr;  ///< address of the register
  std::array<std::byte, 64> data;
};

/// A message of the device to host software: the answer to a load, or an interrupt.
struct DeviceMessage {
  enum class Kind : std::uint8_t { reply, interrupt };
  Kind kind;
  std::uint8_t bytes;
  std::uint16_t tag;  ///< tag of the load, or number of the interrupt
  std::array<std::byte, 64> data;
};

/// A control message from the FPGA to host software (stacc table II).
struct ControlMessage {
  std::uint32_t tag;
  std::uint32_t message;
};

/// The words of one PcieWriteApply are on their way to the host, in front of everything that is sent from now on.
struct PcieWriteDone {};

/// The headings under which traces show the parts of a machine.
inline constexpr const char* kHostGroup = "host";
inline constexpr const char* kLinkGroup = "link";
inline constexpr const char* kDeviceGroup = "device";

}  // namespace isthmus
