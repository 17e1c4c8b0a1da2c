#include "isthmus/fabric/coherence/service_layer.hpp"

namespace isthmus::fabric {

ServiceLayer::ServiceLayer(const ServiceLayerSpec& spec)
    : spec_(spec), reading_(kReadsInFlight, spec.reads_in_flight), writing_(kWritesInFlight, spec.writes_in_flight) {}

void ServiceLayer::step() {
  moved_ = false;
  take_result();
  hand_back(reading_, read_results);
  hand_back(writing_, write_results);
  send();
  if (moved_) return;
  end();
  if (!over_) timer_.wait(reads, writes, accesses, results, read_results, write_results);
}

void ServiceLayer::take_result() {
  if (sent_ == 0) return;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return;
  moved_ = true;
  --sent_;
  if (spec_.observer != nullptr) spec_.observer->came_back(spec_.agent, timer_.now());
  const bool write = result->kind == LineAccess::Kind::write;
  Place& place = (write ? writing_ : reading_).places[result->tag];
  place.done = true;
  place.result.kind = result->kind;
  place.result.bytes = result->bytes;
  if (!write) copy_line(result->data, place.result.data, result->bytes);
}

void ServiceLayer::hand_back(Order& order, Out<LineResult>& to) {
  if (order.count == 0) return;
  Place& place = order.places[order.first];
  if (!place.done || !to.room()) return;
  LineResult& result = to.slot();
  result.kind = place.result.kind;
  result.bytes = place.result.bytes;
  result.tag = place.tag;
  if (result.kind != LineAccess::Kind::write) copy_line(place.result.data, result.data, result.bytes);
  order.first = order.first + 1 == order.places.size() ? 0 : order.first + 1;
  --order.count;
  order.in_flight.give();
  moved_ = true;
}

// What has no result yet is more than lies in the channel.
void ServiceLayer::send() {
  if (sent_ >= spec_.depth && !accesses.room()) return;
  const bool sent =
      write_next_ ? send(writes, writing_) || send(reads, reading_) : send(reads, reading_) || send(writes, writing_);
  moved_ |= sent;
}

bool ServiceLayer::send(In<LineAccess>& from, Order& order) {
  if (order.full()) return false;
  const LineAccess* request = from.pull_in_place();
  if (request == nullptr) return false;
  const std::size_t next = order.next();
  ++order.count;
  order.in_flight.take();
  ++sent_;
  order.places[next].done = false;
  order.places[next].tag = request->tag;
  LineAccess& access = accesses.slot();
  access.kind = request->kind;
  access.bytes = request->bytes;
  access.tag = static_cast<std::uint16_t>(next);
  access.addr = spec_.space != nullptr ? spec_.space->physical(request->addr) : request->addr;
  write_next_ = access.kind != LineAccess::Kind::write;
  if (!write_next_) copy_line(request->data, access.data, access.bytes);
  return true;
}

void ServiceLayer::end() {
  over_ = reading_.count == 0 && writing_.count == 0 && reads.closed() && writes.closed();
}

}  // namespace isthmus::fabric
