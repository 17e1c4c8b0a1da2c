#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isthmus::layer {

// A journal is a file of slots of 128 bytes, little-endian; the first is a ProcessSlot. Whoever writes a slot stores
// its type last, so that a slot whose type is `empty` is the journal's end, whatever ended its program. Times are
// nanoseconds: those of the host by CLOCK_MONOTONIC, those of a device by the device's own clock.
inline constexpr std::size_t kSlotSize = 128;
inline constexpr std::array<char, 8> kMagic{'i', 's', 't', 'h', 'm', 'u', 's', 'R'};
inline constexpr std::uint32_t kVersion = 2;

enum class SlotType : std::uint8_t { empty, process, text, queue, call, times };

/// What a text is of; `id` says which. Longer texts go on in parts 1, 2, ...
enum class Text : std::uint8_t { kind, command, device, platform, driver, device_type, kernel, extension };

/// Tells whether a call moves data, computes, orders other commands, or is done by the host alone.
enum class Group : std::uint8_t { transfer, kernel, order, host };

// What a text's `detail` says: of a kind of call its Group and whether its bytes are moved; of a device whether its
// memory is the host's.
inline constexpr std::uint32_t kMoves = 0x100;
inline constexpr std::uint32_t kSharesMemory = 1;

enum Flag : std::uint16_t {
  kBlocking = 1,     // the call returns when the command is complete
  kProgramAsks = 2,  // the program took the command's event
  kHasTimes = 4,     // there is an event, so a TimesSlot follows once the command is complete
};

struct ProcessSlot {
  std::uint8_t type = 0;
  std::array<std::uint8_t, 7> unused{};
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t slot_size = 0;
  std::uint32_t process = 0;
  std::uint32_t parent = 0;
  std::uint64_t monotonic = 0;  ///< the same instant by both clocks of the host
  std::uint64_t realtime = 0;
  std::uint64_t lost = 0;   ///< slots that could not be written
  std::uint64_t ended = 0;  ///< time at which the process ended in order, else 0
  std::array<std::uint8_t, 64> unused_too{};
};

struct TextSlot {
  std::uint8_t type = 0;
  std::uint8_t what = 0;
  std::uint16_t length = 0;  ///< bytes of this part
  std::uint32_t id = 0;
  std::uint32_t part = 0;
  std::uint32_t detail = 0;
  std::array<char, 112> text{};
};

struct QueueSlot {
  std::uint8_t type = 0;
  std::uint8_t forced = 0;  ///< whether the layer turned profiling on
  std::array<std::uint8_t, 2> unused{};
  std::uint32_t id = 0;
  std::uint32_t device = 0;
  std::uint32_t unused_too = 0;
  std::uint64_t properties = 0;        ///< properties that the program asked for
  std::uint64_t timer_resolution = 0;  ///< resolution of the device's clock, ns
  std::array<std::uint8_t, 96> rest{};
};

struct CallSlot {
  std::uint8_t type = 0;
  std::uint8_t kind = 0;
  std::uint16_t flags = 0;
  std::uint32_t thread = 0;  ///< number of the thread in the operating system
  std::uint64_t id = 0;
  std::uint32_t queue = 0;   ///< number of the queue; 0: none
  std::uint32_t kernel = 0;  ///< number of the kernel; 0: none
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;  ///< begin of the driver's call
  std::uint64_t end = 0;
  std::uint64_t overhead = 0;  ///< time of the layer around the call, ns
  std::uint32_t dimensions = 0;
  std::int32_t result = 0;  ///< OpenCL's error code
  std::array<std::uint64_t, 3> global{};
  std::array<std::uint32_t, 3> local{};  ///< zeros if the driver chooses
  std::uint32_t waits = 0;               ///< events in the call's wait list
  std::array<std::uint8_t, 24> unused{};
};

struct TimesSlot {
  std::uint8_t type = 0;
  std::array<std::uint8_t, 3> unused{};
  std::int32_t status = 0;   ///< 0 if complete, else OpenCL's error code
  std::uint64_t id = 0;      ///< id of the call
  std::uint64_t queued = 0;  ///< all four times are 0 if the driver gives none
  std::uint64_t submit = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::array<std::uint8_t, 80> rest{};
};

static_assert(sizeof(ProcessSlot) == kSlotSize && sizeof(TextSlot) == kSlotSize && sizeof(QueueSlot) == kSlotSize &&
              sizeof(CallSlot) == kSlotSize && sizeof(TimesSlot) == kSlotSize);

}  // namespace isthmus::layer
