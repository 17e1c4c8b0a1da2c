#pragma once

#include <cstdint>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/home_bridge.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus::fabric {

struct PcieChannelSpec {
  int words = 256;                     ///< words of reads under way, for which the channel from the link has room
  int writes = 256;                    ///< lines without an acknowledgement
  const SharedSpace* space = nullptr;  ///< address space of the circuit; null: host addresses
};

/// A PCIe link as a path of a circuit's lines: requests of one or several lines become reads and writes of the link.
/// Reads come back in their order, writes when the root port has them. A fence waits until all writes before it are on
/// their way, and becomes a read of kFenceAddress behind them.
class PcieChannel : public LinkUser {
 public:
  In<LineAccess> line_reads{"line_reads"};
  In<LineAccess> line_writes{"line_writes"};
  Out<LineResult> read_results{"read_results"};
  Out<LineResult> write_results{"write_results"};
  In<PciePosted> posted{"posted"};
  Out<DeviceMessage> messages{"messages"};  ///< interrupt that ends the channel

  explicit PcieChannel(const PcieChannelSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Asked {
    LineAccess::Kind kind = LineAccess::Kind::read;
    std::uint8_t bytes = 0;
    std::uint8_t offset = 0;  ///< offset of the access in its line, bytes
    std::uint16_t tag = 0;
    std::uint8_t channel = 0;  ///< channel of a fence, as its client named it
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
  Ring<Asked> reading_;  ///< reads whose words are still to come
  int words_due_ = 0;
  Ring<std::uint16_t> writing_;  ///< tags of lines that are not acknowledged yet
  int writes_due_ = 0;
  std::int64_t posted_lines_ = 0;  ///< acknowledged lines whose results are still to be sent
  int sent_ = 0;                   ///< writes that the link has not sent yet
  std::uint64_t first_ = 0;        ///< address of the read that is being gathered
  std::uint8_t gathered_ = 0;      ///< lines of the read that is being gathered
  std::uint8_t lines_left_ = 0;    ///< lines of the write under way that are still to come
  bool asked_ = false;             ///< whether this step has requested a read from the link
  bool told_ = false;              ///< whether this step has sent the result of a write
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
