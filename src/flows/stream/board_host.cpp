#include "flows/stream/board_host.hpp"

#include "flows/stream/parts.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::program {
namespace {

/// Completions of the largest payload, each with its header.
LinkReading reading_of(const platform::Description& board) {
  const fabric::PcieLinkSpec link = platform::link_spec(board).pcie;
  const auto payload = static_cast<double>(link.max_payload.count);
  const double share = payload / (payload + static_cast<double>(link.completion_overhead.count));
  return {.request = board.the("stream").bytes("request_size"),
          .rate = {fabric::raw_bandwidth(link).bytes_per_second * share},
          .round_trip = link.round_trip};
}

ChannelOptions between(int depth) {
  return {.depth = depth};
}

}  // namespace

BoardHostEnds::BoardHostEnds(Graph& graph, LinkUsers& users, const platform::Description& board,
                             const PcieInterface& link, const HostImage& image)
    : graph_(graph),
      users_(users),
      image_(image),
      spec_(platform::host_link_spec(board)),
      reading_(reading_of(board)),
      region_(link.memory.allocate({static_cast<std::int64_t>(image.memory.bytes)})) {
  if (image.memory.fill) image.memory.fill(0, region_.bytes);
}

HostWay BoardHostEnds::way(const HostMaster& master) const {
  HostWay way{.name = master.name, .requests = spec_.requests, .clock = spec_.device_clock};
  if (master.requests > 0) way.requests.in_flight = master.requests;
  return way;
}

void BoardHostEnds::connect(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) {
  const HostReadEnds ends = add_host_reads(graph_, way(master), users_);
  graph_.connect(requests, ends.requests, between(master.fifo));
  graph_.connect(ends.words, words, between(master.fifo));
  std::vector<std::string> keys{"stream.request_size", "link.pcie.round_trip"};
  if (master.requests == 0) keys.insert(keys.begin(), "stream.requests_in_flight");
  parts_.push_back(requests_part(master.name + "'s requests", ends.requester));
  parts_.push_back(requests_in_flight(master.name + "'s requests in flight", ends.requester, std::move(keys)));
}

void BoardHostEnds::connect(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
                            In<PcieWriteDone>& written) {
  const HostWriteEnds ends = add_host_writes(graph_, way(master), users_);
  graph_.connect(requests, ends.requests, between(master.fifo));
  graph_.connect(words, ends.words, between(master.fifo));
  graph_.connect(ends.written, written, between(master.fifo));
  parts_.push_back(requests_part(master.name + "'s requests", ends.requester));
}

void BoardHostEnds::finish() const {
  if (image_.left) image_.left(region_.bytes);
}

}  // namespace isthmus::program
