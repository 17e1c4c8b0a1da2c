#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/base/partial_file.hpp"

/// Packets of a run: those of a pcap file, or generated ones; and the file that they are written to.
namespace isthmus::apps {

/// What a packet may hold at most: a jumbo frame, with the headers of what carries it.
inline constexpr std::size_t kLargestPacket = 9216;

/// When a packet was captured, as the file has it, and how long it was before it was cut.
struct Captured {
  std::int64_t seconds;
  std::int64_t fraction;  ///< fraction of a second, in micro- or nanoseconds (Trace::nanoseconds)
  std::uint32_t length;
};

/// All packets of a file of Ethernet frames.
class Trace {
 public:
  /// Throws Error naming the file where it cannot be read to its end, holds no packet, one that is larger than
  /// kLargestPacket, or another link type than Ethernet.
  explicit Trace(const std::filesystem::path& file);

  int packets() const { return static_cast<int>(captured_.size()); }
  std::span<const std::byte> packet(int number) const;
  const Captured& captured(int number) const { return captured_[static_cast<std::size_t>(number)]; }
  std::size_t largest() const { return largest_; }
  std::size_t mean() const { return bytes_.size() / captured_.size(); }
  bool nanoseconds() const { return nanoseconds_; }
  int snapshot() const { return snapshot_; }

 private:
  bool nanoseconds_;
  int snapshot_ = 0;  ///< most bytes of a packet that were captured
  std::size_t largest_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> begins_;
  std::vector<Captured> captured_;
};

/// Writes a generated frame: addresses, a type for experiments (IEEE 802, local experimental), then numbers that
/// follow from seed and packet.
void generate_packet(std::uint64_t seed, int number, std::span<std::byte> bytes);

/// A pcap file that is there once it is whole.
class TraceWriter {
 public:
  /// Like `trace`, where there is one: each packet with its time, and what else the file said of it.
  TraceWriter(std::filesystem::path file, std::shared_ptr<const Trace> trace);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();  // where File is known

  /// Number 0 begins the file anew. Throws Error where it cannot be written.
  void write(int number, std::span<const std::byte> bytes);
  /// Puts it in its place.
  void finish();

 private:
  struct File;
  void begin();

  PartialFile file_;
  std::shared_ptr<const Trace> trace_;
  std::unique_ptr<File> open_;
};

}  // namespace isthmus::apps
