#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/host_memory.hpp"

namespace isthmus::fabric {

/// A read of this address is answered once all writes that came before it over the link are at the home: what WrFence
/// becomes on a PCIe channel, as a read that pushes posted writes before it (PCI Express Base
/// Specification 3.0, 2.4.1).
inline constexpr std::uint64_t kFenceAddress = 0xfed0'0000;

/// Bytes of posted writes that a root port has.
struct PciePosted {
  std::uint16_t bytes;
};

/// The most lines that a bridge may ask for at once.
inline constexpr int kLinesOfABridge = 256;

struct HomeBridgeSpec {
  int line = 64;   ///< bytes of a line; every access is a multiple of it
  int reads = 32;  ///< requests under way: as many as the link has tags
  int lines = 64;  ///< lines of reads and writes under way at the home
};

/// HomeBridge connects a root port to the home of lines: it is an agent without a cache. It does not keep what the
/// device reads, and all caches give up the lines that the device writes. A write is acknowledged when the root port
/// hands it over. Reads are answered in any order; only a read of kFenceAddress orders anything.
class HomeBridge {
 public:
  In<HostRequest> requests{"requests"};
  Out<Dllps> dllps{"dllps"};
  Out<HostAnswer> answers{"answers"};
  Out<DeviceMessage> messages{"messages"};
  Out<PciePosted> posted{"posted"};
  Out<HomeRequest> home_requests{"home_requests"};
  In<HomeAnswer> home_answers{"home_answers"};
  Out<Confirm> confirms{"confirms"};
  Out<WriteBack> write_backs{"write_backs"};

  explicit HomeBridge(const HomeBridgeSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Read {
    std::uint64_t addr = 0;
    std::uint16_t bytes = 0;
    std::uint16_t left = 0;  ///< lines that are still to come
    std::uint16_t tag = 0;
    std::uint8_t packets = 0;
    std::array<std::byte, kMostPayload> data{};
  };
  struct Line {
    bool put = false;
    std::uint16_t read = 0;    ///< index of the read
    std::uint16_t offset = 0;  ///< offset of the line in the read, bytes
    std::uint64_t fences = 0;  ///< fences that came before the put
    std::uint64_t number = 0;
    LineBytes data{};  ///< bytes of a put
  };
  /// Puts between two fences.
  struct Stretch {
    int under_way = 0;
    bool fenced = false;
    Read fence{};  ///< answer to the fence
  };

  void take_answer();
  void put(Line& line, std::uint16_t place);
  void take_read_line(const HomeAnswer& answer);
  void take_request();
  void begin(const HostRequest& request);
  bool ask_next_line(const HostRequest& request);
  void take_fence(const HostRequest& request);
  void answer_fences();
  void answer(const Read& read);
  void leave();

  Timer timer_;
  HomeBridgeSpec spec_;
  std::vector<Read> reads_;
  Places free_reads_;
  std::vector<Line> lines_;
  Places free_lines_;
  std::deque<Stretch> stretches_;  ///< puts between fences; the last may still grow
  std::uint64_t fences_ = 0;       ///< number of answered fences
  bool begun_ = false;             ///< whether the request at hand has begun
  std::uint16_t read_ = 0;         ///< index of the read at hand
  std::uint16_t asked_ = 0;        ///< bytes of the request at hand that are requested from the home
  int under_way_ = 0;              ///< lines under way at the home
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
