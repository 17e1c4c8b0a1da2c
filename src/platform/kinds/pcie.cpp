#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kGenerations = {1.0, 2.0, 3.0, 4.0, 5.0};
constexpr std::array kLinkWidths = {1.0, 2.0, 4.0, 8.0, 16.0};

constexpr std::array kPcieKeys = std::to_array<Key>({
    {"generation",
     count,
     1,
     5,
     "PCI Express generation: 2.5, 5, 8, 16 or 32 GT/s a lane; 8b/10b encoding up to 2, 128b/130b from 3",
     {.built = kGenerations}},
    {"lanes", count, 1, 32, "lanes of the link, each full duplex", {.built = kLinkWidths}},
    {"max_payload", bytes, 128, 4096, "largest payload of a write or completion (Max_Payload_Size)", kPowerOfTwo},
    {"max_read_request", bytes, 128, 4096, "most bytes that one read request asks for (Max_Read_Request_Size)",
     kPowerOfTwo | kFasterEitherWay},
    {"read_completion_boundary", bytes, 64, 128,
     "the root complex may split completions only at multiples of this (RCB)", kPowerOfTwo | kFasterEitherWay},
    {"request_overhead", bytes, 12, 64,
     "bytes that a write or a read request adds to its payload: framing, sequence number, header with 64-bit address, "
     "CRCs",
     kLessIsFaster},
    {"completion_overhead", bytes, 12, 64,
     "bytes that a completion adds to its payload: framing, sequence number, header, CRCs", kLessIsFaster},
    {"dllp_size", bytes, 6, 16, "bytes of an Ack or a flow-control update on the wire, with its framing",
     kLessIsFaster},
    {"ack_every", count, 1, 64, "transaction-layer packets received for one Ack"},
    {"update_fc_every", count, 1, 64, "packets taken out of the receive buffer for one flow-control update",
     kFasterEitherWay},
    {"tags", count, 1, 1024, "read requests that a device may have under way"},
    {"posted_header_credits", count, 1, 127, "writes for which a receiver has room"},
    {"posted_data_credits", count, 8, 2047, "16-byte units of write payload for which a receiver has room"},
    {"nonposted_header_credits", count, 1, 127, "read requests for which a receiver has room"},
    {"flight", time, 0.001 * ns, 10 * us,
     "from the last byte on the wire of one end to the packet's hand-over at the other: physical and link layers"},
    {"round_trip", time, 10 * ns, 100 * us,
     "time from a device's read request to its completion on an idle link, host memory included, without time on the "
     "wire"},
    {"user_width", bytes, 8, 128, "data path of the FPGA's PCIe block, each direction", kPowerOfTwo},
    {"user_clock", frequency, MHz, 2000 * MHz, "clock of that data path"},
});

constexpr std::array kPcieRelations = std::to_array<Relation>({
    {{"pcie", "flight", 2}, {"pcie", "round_trip"}},
    {{"memory", "latency"}, {"pcie", "round_trip"}},
    // one write must fit the receiver's room, which is counted in units of 16 B
    {{"pcie", "max_payload"}, {"pcie", "posted_data_credits", 16}},
});

}  // namespace

const PartKind kPcie{.section = "link.pcie",
                     .meaning = "a PCI Express link between host and device, with its ends in both",
                     .keys = kPcieKeys,
                     .relations = kPcieRelations,
                     .link = true,
                     .several = true};

fabric::PcieLinkSpec pcie_link_spec(const Section& pcie) {
  return {.generation = pcie.count("generation"),
          .lanes = pcie.count("lanes"),
          .max_payload = pcie.bytes("max_payload"),
          .max_read_request = pcie.bytes("max_read_request"),
          .read_completion_boundary = pcie.bytes("read_completion_boundary"),
          .request_overhead = pcie.bytes("request_overhead"),
          .completion_overhead = pcie.bytes("completion_overhead"),
          .dllp_size = pcie.bytes("dllp_size"),
          .ack_every = pcie.count("ack_every"),
          .update_fc_every = pcie.count("update_fc_every"),
          .tags = pcie.count("tags"),
          .posted_header_credits = pcie.count("posted_header_credits"),
          .posted_data_credits = pcie.count("posted_data_credits"),
          .nonposted_header_credits = pcie.count("nonposted_header_credits"),
          .flight = pcie.time("flight"),
          .round_trip = pcie.time("round_trip"),
          .user_width = pcie.bytes("user_width"),
          .user_clock = {.frequency = pcie.frequency("user_clock")}};
}

}  // namespace isthmus::platform::kinds
