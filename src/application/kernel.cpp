#include "isthmus/application/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// Control messages that wait, and answers: registers, read by a host that asks for them one by one.
constexpr int kMessages = 64;
constexpr int kAnswers = 16;

/// The end for an actor that does not ask when its writes are on their way.
struct Unheard {
  In<PcieWriteDone> in{"in"};
  void step() { in.read(); }
};

constexpr double kGiga = 1e9;

}  // namespace

void Kernel::from_host(In<StreamWord>& in) {
  if (ends_.words == nullptr)
    throw Error("a kernel reads the host's messages: expected some, got packets of a network");
  if (ends_.stored) throw Error("a kernel reads the host's messages: expected some, got those of a drive");
  graph_.connect(*ends_.words, in, fifo(place_.fifo));
}

void Kernel::from_storage(In<StreamWord>& in) {
  if (ends_.words == nullptr || !ends_.stored)
    throw Error("a kernel reads storage: expected messages of its application on a drive, got those of a host");
  graph_.connect(*ends_.words, in, fifo(place_.fifo));
}

void Kernel::to_host(Out<StreamWord>& out, int latency) {
  if (ends_.results == nullptr) throw Error("a kernel sends to the host: expected messages of it, got packets");
  graph_.connect(out, *ends_.results, fifo(place_.fifo, latency));
}

NetworkEnds& Kernel::network() const {
  if (ends_.network == nullptr)
    throw Error("a kernel reaches a network: expected packets of its application, got messages of a host");
  return *ends_.network;
}

void Kernel::control(In<std::uint32_t>& in, Out<ControlMessage>& out) {
  if (ends_.control == nullptr || ends_.status == nullptr)
    throw Error("a kernel takes control messages: expected some of its application, got none");
  graph_.connect(*ends_.control, in, fifo(kMessages));
  graph_.connect(out, *ends_.status, fifo(kAnswers));
}

DeviceMemoryEnds& Kernel::memory() const {
  if (ends_.memory == nullptr)
    throw Error("a kernel reaches the device's memory: expected an image there of its application, got none");
  return *ends_.memory;
}

int Kernel::reads_to_cover_memory() const {
  const RandomReads reads = memory().random_reads();
  const int depth = depth_to_cover(reads);
  if (ends_.note)
    ends_.note(fmt::format("reads of device memory under way: {}, for {:.0f} M/s of {:.0f} ns each", depth,
                           reads.per_second * 1e-6, reads.latency.seconds() * 1e9));
  return depth;
}

HostMemoryEnds& Kernel::host() const {
  if (ends_.host == nullptr)
    throw Error("a kernel reaches the host's memory: expected an image there of its application, got none");
  return *ends_.host;
}

void Kernel::writes_host(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words) {
  auto& unheard = graph_.add<Unheard>(master.name + "'s writes done", {.clock = place_.clock, .group = kDeviceGroup});
  writes_host(master, requests, words, unheard.in);
}

int Kernel::requests_to_cover_link() const {
  const auto link = host().link();
  if (!link) return 1;
  const int requests = requests_to_cover(*link);
  if (ends_.note)
    ends_.note(fmt::format(
        "reads of host memory under way: {} of {} B, for {:.1f} GB/s and {:.0f} ns (T + rate x round "
        "trip = {} B); 2 T would let {:.2f} GB/s through",
        requests, link->request.count, link->rate.bytes_per_second / kGiga, link->round_trip.seconds() * kGiga,
        reply_buffer(*link).count, rate_through(*link, 2).bytes_per_second / kGiga));
  return requests;
}

Bytes reply_buffer(const LinkReading& link) {
  const double under_way = link.rate.bytes_per_second * link.round_trip.seconds();
  return {link.request.count + std::llround(under_way)};
}

int requests_to_cover(const LinkReading& link) {
  return static_cast<int>((reply_buffer(link).count + link.request.count - 1) / link.request.count);
}

Bandwidth rate_through(const LinkReading& link, int requests) {
  const auto bytes = static_cast<double>(link.request.count);
  const double each = link.round_trip.seconds() + bytes / link.rate.bytes_per_second;
  return {std::min(link.rate.bytes_per_second, requests * bytes / each)};
}

int depth_to_cover(const RandomReads& reads) {
  return static_cast<int>(std::ceil(reads.latency.seconds() * reads.per_second)) + 1;
}

}  // namespace isthmus::program
