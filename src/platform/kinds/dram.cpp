#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kDramKeys = std::to_array<Key>({
    {"capacity", bytes, kMiB, 4096 * kGiB, "size of the device's DRAM, all channels together"},
    {"channels", count, 1, 64, "channels of the device's DRAM, each with its controller"},
    {"kernel_channels", count, 1, 32, "channels over which a kernel's buffers are spread"},
    {"transfer_rate", transfers, 100 * MTps, 20000 * MTps, "transfer rate; the DRAM's clock is half of it"},
    {"data_width", bytes, 1, 128, "width of the data bus of one channel, without ECC", kPowerOfTwo},
    {"burst_length", count, 4, 16, "transfers of one read or write command (BL)", kPowerOfTwo},
    {"bank_groups", count, 1, 16, "bank groups of a rank; 1 where the standard has none", kPowerOfTwo},
    {"banks", count, 2, 64, "banks in a bank group", kPowerOfTwo},
    {"row_size", bytes, 512, 64 * kKiB, "size of a row of a bank over the whole rank", kPowerOfTwo | kFasterEitherWay},
    {"CL", cycles, 1, 100, "read command to first data"},
    {"CWL", cycles, 1, 100, "write command to first data"},
    {"tRCD", time, 0, us, "activate to read or write of the row"},
    {"tRP", time, 0, us, "precharge to activate of the bank"},
    {"tRAS", time, 0, us, "activate to precharge of the bank"},
    {"tRTP", time, 0, us, "read to precharge of the bank"},
    {"tWR", time, 0, us, "last write data to precharge of the bank"},
    {"tCCD_S", cycles, 1, 100, "column command to column command of another bank group"},
    {"tCCD_L", time, 0, us, "column command to column command of the same bank group"},
    {"tRRD_S", time, 0, us, "activate to activate of another bank group"},
    {"tRRD_L", time, 0, us, "activate to activate of the same bank group"},
    {"tFAW", time, 0, us, "window that holds at most four activates"},
    {"tWTR_S", time, 0, us, "last write data to read of another bank group"},
    {"tWTR_L", time, 0, us, "last write data to read of the same bank group"},
    {"turnaround", cycles, 0, 100, "idle data bus between read data and write data"},
    {"tREFI", time, 100 * ns, ms, "average time from refresh to refresh"},
    {"tRFC", time, 10 * ns, 10 * us, "refresh to the rank's next command"},
    {"read_group", count, 1, 1024, "bursts read before the controller turns to waiting writes", kFasterEitherWay},
    {"write_group", count, 1, 1024, "bursts written before the controller turns to waiting reads", kFasterEitherWay},
    {"queue_depth", count, 1, 1024, "bursts that wait in the controller, reads and writes each"},
    {"idle_latency", time, ns, 100 * us,
     "read of a closed row on an idle channel, from the controller's port back to it, DRAM timings included"},
});

constexpr std::array kDramRelations = std::to_array<Relation>({
    {{"dram", "kernel_channels"}, {"dram", "channels"}},
    {{"dram", "read_group"}, {"dram", "queue_depth"}},
    {{"dram", "write_group"}, {"dram", "queue_depth"}},
    {{"dram", "tRFC", 2}, {"dram", "tREFI"}},
});

}  // namespace

const PartKind kDram{.section = "device.dram",
                     .meaning = "the device's DRAM with its controllers",
                     .keys = kDramKeys,
                     .relations = kDramRelations};

fabric::DramSpec dram_spec(const Section& dram) {
  const Frequency transfers = dram.frequency("transfer_rate");
  return {.clock = {transfers.numerator, transfers.denominator * 2},
          .data_width = dram.bytes("data_width"),
          .burst_length = dram.count("burst_length"),
          .bank_groups = dram.count("bank_groups"),
          .banks = dram.count("banks"),
          .row_size = dram.bytes("row_size"),
          .CL = dram.count("CL"),
          .CWL = dram.count("CWL"),
          .tRCD = dram.time("tRCD"),
          .tRP = dram.time("tRP"),
          .tRAS = dram.time("tRAS"),
          .tRTP = dram.time("tRTP"),
          .tWR = dram.time("tWR"),
          .tCCD_S = dram.count("tCCD_S"),
          .tCCD_L = dram.time("tCCD_L"),
          .tRRD_S = dram.time("tRRD_S"),
          .tRRD_L = dram.time("tRRD_L"),
          .tFAW = dram.time("tFAW"),
          .tWTR_S = dram.time("tWTR_S"),
          .tWTR_L = dram.time("tWTR_L"),
          .turnaround = dram.count("turnaround"),
          .tREFI = dram.time("tREFI"),
          .tRFC = dram.time("tRFC"),
          .read_group = dram.count("read_group"),
          .write_group = dram.count("write_group"),
          .queue_depth = dram.count("queue_depth"),
          .idle_latency = dram.time("idle_latency")};
}

}  // namespace isthmus::platform::kinds
