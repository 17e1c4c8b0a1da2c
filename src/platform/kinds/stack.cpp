#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kStackKeys = std::to_array<Key>({
    {"latency", time, ns, ms,
     "time of a packet in the card and the network software, in and out together, the work of cores included"},
    {"cores", count, 1, 64, "cores that work on packets; packets go to them in turn"},
    {"packet", time, ns, 100 * us, "time that a core works on a packet when it comes, and again when it goes"},
});

constexpr std::array kStackRelations = std::to_array<Relation>({
    {{"stack", "packet", 2}, {"stack", "latency"}},
});

}  // namespace

const PartKind kStack{.section = "host.network",
                      .own_name = "stack",
                      .meaning = "the host's own network card and its software",
                      .keys = kStackKeys,
                      .relations = kStackRelations};

fabric::NetworkStackSpec network_stack_spec(const Section& stack) {
  return {.latency = stack.time("latency"), .cores = stack.count("cores"), .packet = stack.time("packet")};
}

}  // namespace isthmus::platform::kinds
