#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kGenerationsOfCapi = {3.0, 4.0};
constexpr std::array kLanesOfCapi = {8.0, 16.0};

constexpr std::array kCapiKeys = std::to_array<Key>({
    {"generation",
     count,
     1,
     5,
     "PCI Express generation: 2.5, 5, 8, 16 or 32 GT/s a lane; 8b/10b encoding up to 2, 128b/130b from 3",
     {.built = kGenerationsOfCapi}},
    {"lanes", count, 1, 32, "lanes of the link, each full duplex", {.built = kLanesOfCapi}},
    {"request_overhead", bytes, 12, 64,
     "bytes that a line written to the host adds: framing, sequence number, header with 64-bit address, CRCs",
     kLessIsFaster},
    {"completion_overhead", bytes, 12, 64,
     "bytes that a line read from the host adds: framing, sequence number, header, CRCs", kLessIsFaster},
    {"round_trip", time, 10 * ns, 100 * us,
     "from a miss of the FPGA's cache to its answer on an idle link, host memory and time on the wire included"},
});

constexpr std::array kCapiRelations = std::to_array<Relation>({
    {{"memory", "latency"}, {"capi", "round_trip"}},
});

}  // namespace

const PartKind kCapi{
    .section = "link.capi",
    .meaning = "a coherent link over PCI Express, between the FPGA's cache (PSL) and the host's proxy of it (CAPP)",
    .keys = kCapiKeys,
    .relations = kCapiRelations,
    .link = true,
    .family = kCoherentLink};

fabric::LineWireSpec line_wire_spec(const Section& capi, std::int64_t line) {
  const double rate =
      fabric::raw_bandwidth({.generation = capi.count("generation"), .lanes = capi.count("lanes")}).bytes_per_second;
  const auto taken = [&](std::string_view overhead) {
    return Time::seconds(static_cast<double>(line + capi.bytes(overhead).count) / rate);
  };
  return {.to_home = taken("request_overhead"), .from_home = taken("completion_overhead")};
}

}  // namespace isthmus::platform::kinds
