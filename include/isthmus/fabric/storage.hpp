#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"

/// A drive behind a queue of commands, as NVMe has it (NVM Express Base Specification 1.4, 4.1), and who reads it from
/// its beginning.
namespace isthmus::fabric {

struct StorageSpec {
  int queue_depth;      ///< read commands under way
  Time read_latency;    ///< from a command's submission to its first byte, if nothing else is under way
  Bandwidth read_rate;  ///< rate of all commands together, once their data are there
  Bytes read_size;      ///< bytes of a command
};

/// The rate of reads of `read_size` one after the other, in the long run: the drive's rate, or as much as the queue has
/// under way in the time of a command (Little's law).
Bandwidth sequential_rate(const StorageSpec& spec);

/// A read command.
struct StorageRead {
  std::uint64_t first;  ///< offset of the first byte on the drive
  std::uint32_t bytes;
};

/// The entry in a completion queue: all data of a command, the oldest one under way, have left the drive.
struct StorageDone {};

/// Data of a command.
struct StoragePiece {
  static constexpr std::size_t kMost = 512;

  std::uint16_t bytes;
  std::array<std::byte, kMost> data;
};

/// The content of a drive: writes the bytes from `first` on.
using StorageContents = std::function<void(std::uint64_t first, std::span<std::byte> bytes)>;

/// A drive, which has no clock. The channel to `commands` takes the latency, of all commands at once; their data leave
/// in the order of the commands, at the drive's rate.
class Drive {
 public:
  In<StorageRead> commands{"commands"};
  Out<StoragePiece> data{"data"};
  Out<StorageDone> completed{"completed"};

  Drive(const StorageSpec& spec, StorageContents contents) : rate_(spec.read_rate), contents_(std::move(contents)) {}
  void step();

 private:
  Bandwidth rate_;
  StorageContents contents_;
  std::vector<std::byte> bytes_;
  Timer timer_;
};

/// The name of the queue's places in reports.
inline constexpr const char* kStorageQueue = "storage queue";

/// Messages that lie on a drive one behind the other.
struct StoredMessages {
  std::uint64_t bytes;  ///< bytes of each message
  int count;
};

/// Submits the commands of all messages, each as soon as the queue has room; it has no clock.
class StorageReads {
 public:
  Out<StorageRead> commands{"commands"};
  In<StorageDone> completed{"completed"};

  StorageReads(const StorageSpec& spec, const StoredMessages& messages);
  void step();
  bool done() const { return at_ == end_ && free_ == depth_; }

  /// The time at which the first command of each message was submitted.
  const std::vector<Time>& begun() const { return begun_; }

 private:
  void await_completion();

  std::uint64_t message_;
  std::uint64_t most_;
  std::uint64_t at_ = 0;
  std::uint64_t end_;
  int depth_;
  int free_;
  std::vector<Time> begun_;
  Timer timer_;
  Occupancy queue_;
};

/// Hands what comes from a drive to a kernel, a word a cycle.
class StorageWords {
 public:
  In<StoragePiece> in{"in"};
  Out<StreamWord> out{"out"};

  explicit StorageWords(const StoredMessages& messages) : message_(messages.bytes) {}
  void step();
  /// It ends with the drive and the last of its words.
  bool done() const { return false; }

 private:
  std::uint64_t message_;
  std::uint64_t handed_ = 0;             ///< bytes of the message under way that are handed on
  const StoragePiece* piece_ = nullptr;  ///< piece under way; stays in place until the next is taken
  std::size_t at_ = 0;                   ///< bytes of the piece that are taken
};

/// The names of the storage blocks in reports.
inline constexpr const char* kDrive = "storage";
inline constexpr const char* kStorageWords = "storage reader";

/// The number of pieces between a drive and their reader: block RAM, or buffers of the host, for a few commands.
inline constexpr int kStoragePieces = 64;

}  // namespace isthmus::fabric
