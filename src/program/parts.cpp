#include "program/parts.hpp"

#include <array>

#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {
namespace {

struct Named {
  const char* actor;
  const char* resource;  ///< the keys that its rate comes from
};

constexpr const char* kLinkKeys = "link.pcie.lanes, generation and payload";
constexpr const char* kRequestKeys = "stream.request_gap, link.pcie.user_width and user_clock";

constexpr std::array<Named, 5> kBefore{{{kProducer, "stream.library_call"},
                                        {fabric::kHostMemory, "host.memory.transfer_rate"},
                                        {kReadRequests, kRequestKeys},
                                        {fabric::kHostToDevice, kLinkKeys},
                                        {kReplyBuffer, "link.pcie.user_clock"}}};
constexpr std::array<Named, 3> kAfter{
    {{kWriteRequests, kRequestKeys}, {fabric::kDeviceToHost, kLinkKeys}, {kConsumer, "stream.library_call"}}};

}  // namespace

std::vector<platform::Part> parts_of_stream(const RunReport& report, const std::vector<std::string>& kernel) {
  std::vector<platform::Part> parts;
  const auto add = [&](const std::string& actor, const char* resource) {
    parts.push_back(platform::part_of(actor, resource, report.actor(actor)));
  };
  for (const Named& part : kBefore) add(part.actor, part.resource);
  for (const std::string& actor : kernel) add(actor, "kernel.clock");
  for (const Named& part : kAfter) add(part.actor, part.resource);
  return parts;
}

}  // namespace isthmus::program
