#pragma once

#include <cstdint>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// The device's memory as a streaming kernel sees it (stacc table I): words, requests and responses apart. Each part
/// stands between the kernel, on its clock, and an AXI port. Addresses run through the channels one after the other.
namespace isthmus::fabric {

/// A streaming kernel's port to memory, and the ends of its channels.
struct DramPortSpec {
  AxiSpec axi;
  std::uint64_t channel_bytes;  ///< bytes of a memory channel, a multiple of the longest burst
  std::uint64_t channels;

  /// Throws Error for an address behind the last channel.
  DeviceAddress place(std::uint64_t addr) const;
};

/// Reads words in the order of the requests, one a cycle, as many bursts under way as the AXI port may have.
class DramReader {
 public:
  In<DramReadReq> requests{"requests"};
  Out<DramReadResp> words{"words"};
  Out<AxiRegion> regions{"regions"};
  In<AxiBurst> data{"data"};

  explicit DramReader(const DramPortSpec& spec) : spec_(spec) {}
  void step();
  /// It ends with its kernel and the last of its words.
  bool done() const { return finished_; }

 private:
  bool ask();
  bool answer();

  DramPortSpec spec_;
  std::uint64_t next_ = 0;           ///< address of the request under way
  std::uint64_t left_ = 0;           ///< bytes of the request that are not asked for yet
  std::uint64_t expected_ = 0;       ///< bytes that are asked for and not handed on yet
  const AxiBurst* burst_ = nullptr;  ///< burst that is being handed on
  std::uint32_t taken_ = 0;          ///< bytes of the burst that are handed on
  bool finished_ = false;
  Timer timer_;
};

/// Writes the words of each request, one a cycle, gathered into bursts.
class DramWriter {
 public:
  In<DramWriteApply> requests{"requests"};
  In<DramWriteData> words{"words"};
  Out<AxiStore> stores{"stores"};
  In<AxiDone> written{"written"};

  explicit DramWriter(const DramPortSpec& spec) : spec_(spec) {}
  void step();
  /// It ends with its kernel.
  bool done() const { return false; }

 private:
  void begin_burst();

  DramPortSpec spec_;
  std::uint64_t next_ = 0;      ///< address of the next burst of the request under way
  std::uint64_t left_ = 0;      ///< bytes of the request in later bursts
  std::uint32_t of_burst_ = 0;  ///< bytes of the burst under way, not yet gathered
  AxiStore store_{};
};

}  // namespace isthmus::fabric
