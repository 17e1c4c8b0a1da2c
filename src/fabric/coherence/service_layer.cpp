#include "isthmus/fabric/coherence/service_layer.hpp"

#include <algorithm>

namespace isthmus::fabric {

ServiceLayer::ServiceLayer(const ServiceLayerSpec& spec)
    : spec_(spec),
      held_(spec.held_pages),
      reading_(kReadsInFlight, spec.reads_in_flight),
      writing_(kWritesInFlight, spec.writes_in_flight) {}

void ServiceLayer::step() {
  const auto first_is_done = [](const Order& order) { return order.count != 0 && order.places[order.first].done; };
  moved_ = false;
  if (sent_ != 0) take_result();
  if (first_is_done(reading_)) hand_back(reading_, read_results);
  if (first_is_done(writing_)) hand_back(writing_, write_results);
  send();
  if (moved_) return;
  end();
  if (!over_) timer_.wait(reads, writes, accesses, results, read_results, write_results);
}

void ServiceLayer::take_result() {
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

/// The first result of `order`, which is there.
void ServiceLayer::hand_back(Order& order, Out<LineResult>& to) {
  if (!to.room()) return;
  const Place& place = order.places[order.first];
  LineResult& result = to.slot();
  result.kind = place.result.kind;
  result.bytes = place.result.bytes;
  result.tag = place.tag;
  result.channel = place.result.channel;
  if (result.kind != LineAccess::Kind::write) copy_line(place.result.data, result.data, result.bytes);
  order.first = order.first + 1 == order.places.size() ? 0 : order.first + 1;
  --order.count;
  order.in_flight.give();
  moved_ = true;
}

// The channel holds no more than the accesses without a result, so it has room while these are fewer than its depth.
void ServiceLayer::send() {
  if (rests_ > 0) {
    --rests_;
    moved_ = true;
    return;
  }
  if (sent_ >= spec_.depth && !accesses.room()) return;
  moved_ |=
      write_next_ ? send(writes, writing_) || send(reads, reading_) : send(reads, reading_) || send(writes, writing_);
}

/// Tells whether the next access is to a page that has to be found, and begins to find it.
bool ServiceLayer::must_walk(In<LineAccess>& from) {
  const LineAccess* request = from.front();
  if (request == nullptr || request->kind == LineAccess::Kind::fence) return false;
  if (held_.ask(spec_.space->page_of(request->addr))) return false;
  rests_ = std::max(spec_.page_walk - 1, 0);
  return true;
}

bool ServiceLayer::send(In<LineAccess>& from, Order& order) {
  if (order.full()) return false;
  if (spec_.held_pages != 0 && must_walk(from)) return true;
  const LineAccess* request = from.pull_in_place();
  if (request == nullptr) return false;
  rests_ = spec_.interval - 1;
  const std::size_t next = order.next();
  Place& place = order.places[next];
  ++order.count;
  order.in_flight.take();
  place.tag = request->tag;
  place.done = request->kind == LineAccess::Kind::fence;
  if (place.done) {
    place.result.kind = request->kind;
    place.result.bytes = 0;
    place.result.channel = request->channel;
    return true;
  }
  ++sent_;
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
