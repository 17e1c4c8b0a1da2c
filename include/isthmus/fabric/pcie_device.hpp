#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/fabric/pcie.hpp"

/// The FPGA's end of the link: the PCIe block and the requester behind it, on the user clock. A word takes as many
/// cycles as 512 bit are wider than the block's data path.
namespace isthmus::fabric {

/// Cycles that a word takes on the data path of the PCIe block.
int cycles_per_word(const PcieLinkSpec& spec);

/// One read request on the link: what the transmitter sends and the receiver expects.
struct PcieReadPart {
  std::uint16_t tag;
  std::uint16_t bytes;
  std::uint64_t addr;
};

/// The name of the tags of its reads in reports.
inline constexpr const char* kTags = "tags";

/// Splits reads at the largest read request and at 4 KiB boundaries (2.2.7) and gives each part a tag; waits while all
/// tags are under way.
class PcieReader {
 public:
  In<PcieReadReq> in{"in"};
  In<std::uint16_t> freed_tags{"freed_tags"};
  Out<PcieReadPart> parts{"parts"};
  Out<PcieReadPart> expected{"expected"};

  explicit PcieReader(const PcieLinkSpec& spec);
  void step();
  /// It ends with its user.
  bool done() const { return false; }

  /// Tags that no read holds, but for those on their way back.
  std::size_t free_tags() const { return free_tags_.size(); }

 private:
  std::uint16_t take_tag();

  std::int64_t max_request_;
  std::vector<std::uint16_t> free_tags_;
  Occupancy tags_;
};

/// Sends what the device has to say: messages to host software, reads, writes packed into TLPs of the largest payload.
/// The earlier of these goes first, but never inside the write of one PcieWriteApply.
class PcieTransmitter {
 public:
  In<PcieReadPart> reads{"reads"};
  In<PcieWriteApply> writes{"writes"};
  In<PcieWriteData> write_data{"write_data"};
  In<DeviceMessage> messages{"messages"};
  Out<Tlps> out{"out"};
  Out<PcieWriteDone> writes_done{"writes_done"};

  explicit PcieTransmitter(const PcieLinkSpec& spec)
      : max_payload_(spec.max_payload.count), most_(max_payload_ * packets_together(spec)) {}
  void step();
  bool done() const { return finished_; }

 private:
  bool send_message();
  bool send_read();
  bool begin_write();
  void gather();
  void begin_token();

  std::int64_t max_payload_;
  std::int64_t most_;             ///< most bytes that travel in one token
  std::uint64_t addr_ = 0;        ///< address at which the write under way continues
  std::int64_t words_left_ = 0;   ///< words of the write that are still to come
  std::int64_t packet_size_ = 0;  ///< bytes of the token under way
  std::int64_t packet_left_ = 0;  ///< bytes of its packet in later tokens
  Tlps packet_{};                 ///< packet that is gathered and not sent yet
  bool finished_ = false;
};

/// Takes TLPs off the link: completions become words in the order of the requests, whatever order they come in; stores
/// and loads of host software become MmioRequest.
class PcieReceiver {
 public:
  In<Tlps> in{"in"};
  In<PcieReadPart> expected{"expected"};
  Out<PcieReadResp> data{"data"};
  Out<MmioRequest> mmio{"mmio"};
  Out<std::uint16_t> freed_tags{"freed_tags"};
  Out<Dllps> dllps{"dllps"};

  explicit PcieReceiver(const PcieLinkSpec& spec);
  void step();
  /// It ends with the lane that it reads.
  bool done() const { return false; }

 private:
  void accept();
  void accept_completion(const Tlps& tlps);
  void accept_mmio(const Tlps& tlps);
  void next_answer();
  void emit();
  void await_packet();

  Receipts receipts_;
  PcieReadPart head_{};               ///< answer whose turn it is; no bytes: none
  std::int64_t emitted_ = 0;          ///< bytes of the answer that are handed on
  const std::byte* ready_ = nullptr;  ///< bytes of the answer that have arrived and are not handed on
  const std::byte* ready_end_ = nullptr;
  const std::byte* next_packet_ = nullptr;  ///< bytes of the answer's next packet, which has not arrived yet
  std::int64_t packet_bytes_ = 0;
  Time there_;  ///< time at which the next packet arrives
  Time spacing_;
  Timer timer_;
  std::vector<std::vector<std::byte>> early_;  ///< answers that came before their turn, by tag
  std::vector<std::byte> early_head_;          ///< bytes of `head_` that arrived early
  int answers_early_ = 0;
};

}  // namespace isthmus::fabric
