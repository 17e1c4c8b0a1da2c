#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/home_bridge.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus::fabric {

struct PcieChannelSpec {
  int words = 256;                     ///< of reads under way, for which the channel from the link has room
  int writes = 256;                    ///< lines without an acknowledgement
  const SharedSpace* space = nullptr;  ///< whose addresses the circuit's are; none: those of the host
};

/// A PCIe link as a way of a circuit's lines: requests of one or several lines become reads and writes of the link.
/// Reads come back in their order, writes when the root port has them. A fence waits until all writes before it are on
/// their way, and becomes a read of kFenceAddress behind them.
class PcieChannel : public LinkUser {
 public:
  In<LineAccess> line_reads{"line_reads"};
  In<LineAccess> line_writes{"line_writes"};
  Out<LineResult> read_results{"read_results"};
  Out<LineResult> write_results{"write_results"};
  In<PciePosted> posted{"posted"};
  Out<DeviceMessage> messages{"messages"};  ///< an interrupt, with which it ends

  explicit PcieChannel(const PcieChannelSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Asked {
    LineAccess::Kind kind = LineAccess::Kind::read;
    std::uint8_t bytes = 0;
    std::uint8_t offset = 0;  ///< of what was asked for, in its line
    std::uint16_t tag = 0;
    std::uint8_t channel = 0;  ///< of a fence, as its client named it
  };
  void take_data();
  void hear();
  void acknowledge();
  void send_read();
  void send_write();
  void send_fence(const LineAccess& fence);
  void write_line(const LineAccess& access);
  std::uint64_t address_of(const LineAccess& access) const;

  Timer timer_;
  PcieChannelSpec spec_;
  Ring<Asked> reading_;  ///< words that are to come
  int words_due_ = 0;
  Ring<std::uint16_t> writing_;  ///< tags of lines that are to be acknowledged
  int writes_due_ = 0;
  std::int64_t posted_lines_ = 0;  ///< acknowledged, not yet told
  int sent_ = 0;                   ///< writes that the link has not yet sent
  std::uint64_t first_ = 0;        ///< address of the read that is gathered,
  std::uint8_t gathered_ = 0;      ///< and its lines
  std::uint8_t lines_left_ = 0;    ///< of the write that has begun
  bool asked_ = false;             ///< a read of the link in this step
  bool told_ = false;              ///< a write's result
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
