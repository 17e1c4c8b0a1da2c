#include "isthmus/fabric/root_port.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace isthmus::fabric {

std::int64_t completion_bytes(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining) {
  const std::int64_t largest = spec.max_payload.count;
  if (remaining <= largest) return remaining;
  const auto past_boundary =
      static_cast<std::int64_t>(addr % static_cast<std::uint64_t>(spec.read_completion_boundary.count));
  return largest - (past_boundary + largest) % spec.read_completion_boundary.count;
}

namespace {

/// The completions of a read, token by token.
class Completions {
 public:
  Completions(const PcieLinkSpec& spec, const Tlps& read) : spec_(spec), addr_(read.addr), left_(read.bytes) {}

  struct Token {
    std::uint64_t addr = 0;
    int packets = 0;  ///< packets that end with the token
    std::int64_t bytes = 0;
  };
  bool more() const { return left_ > 0; }
  /// The next completions, as many as a token holds; or a part of one that is larger than a token.
  Token next() {
    Token token{.addr = addr_};
    while (left_ > 0) {
      const std::int64_t packet = packet_left_ > 0 ? packet_left_ : completion_bytes(spec_, addr_, left_);
      if (packet > kMostPayload - token.bytes) {
        if (token.bytes == 0) take_part(token, packet);
        break;
      }
      ++token.packets;
      take(token, packet);
      if (std::exchange(packet_left_, 0) > 0 || spec_.faults) break;
    }
    return token;
  }

 private:
  void take(Token& token, std::int64_t bytes) {
    token.bytes += bytes;
    addr_ += static_cast<std::uint64_t>(bytes);
    left_ -= bytes;
  }
  void take_part(Token& token, std::int64_t packet) {
    take(token, kMostPayload);
    packet_left_ = packet - kMostPayload;
  }

  const PcieLinkSpec& spec_;
  std::uint64_t addr_;
  std::int64_t left_;
  std::int64_t packet_left_ = 0;  ///< bytes of the packet under way that are still to come
};

}  // namespace

void RootPort::step() {
  const Tlps& tlps = in.read_in_place();
  const Dllps due = receipts_.took(tlps);
  switch (tlps.kind) {
    case Tlps::Kind::read:
      return read(tlps, due);
    case Tlps::Kind::write:
      return tlps.addr == kInterruptAddress ? deliver(tlps, DeviceMessage::Kind::interrupt, due) : write(tlps, due);
    case Tlps::Kind::completion:
      return deliver(tlps, DeviceMessage::Kind::reply, due);
  }
}

HostRequest& RootPort::request(HostRequest::Kind kind, const Tlps& tlps, const Dllps& due) {
  HostRequest& request = requests.slot();
  request.kind = kind;
  request.more = false;
  request.tag = tlps.tag;
  request.bytes = tlps.bytes;
  request.together = tlps.bytes;
  request.port = static_cast<std::uint16_t>(port_);
  request.due = due;
  request.addr = tlps.addr;
  return request;
}

void RootPort::read(const Tlps& tlps, Dllps due) {
  for (Completions completions(link_, tlps); completions.more();) {
    const Completions::Token token = completions.next();
    HostRequest& read = request(HostRequest::Kind::read, tlps, std::exchange(due, {}));
    read.packets = static_cast<std::uint8_t>(token.packets);
    read.bytes = static_cast<std::uint16_t>(token.bytes);
    read.addr = token.addr;
    read.more = completions.more();
  }
}

void RootPort::write(const Tlps& tlps, const Dllps& due) {
  std::memcpy(request(HostRequest::Kind::write, tlps, due).payload.data(), tlps.payload.data(), tlps.bytes);
}

void RootPort::deliver(const Tlps& tlps, DeviceMessage::Kind kind, const Dllps& due) {
  DeviceMessage message{.kind = kind, .bytes = static_cast<std::uint8_t>(tlps.bytes), .tag = tlps.tag, .data = {}};
  std::copy_n(tlps.payload.begin(), tlps.bytes, message.data.begin());
  HostRequest& to_software = request(HostRequest::Kind::message, tlps, due);
  to_software.bytes = sizeof message;
  std::memcpy(to_software.payload.data(), &message, sizeof message);
}

Completer::Completer(const std::optional<DelayLineSpec>& overtaking) {
  if (!overtaking) return;
  line_.emplace(*overtaking);
  kept_.resize(static_cast<std::size_t>(overtaking->entries));
  next_.resize(kept_.size());
  free_.resize(kept_.size());
  std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
}

void Completer::step() {
  line_ ? keep(*line_) : complete_next();
}

void Completer::complete_next() {
  const HostAnswer& answer = in.read_in_place();
  timer_.wait_until(in.came() + answer.latency);
  complete(answer);
}

void Completer::keep(Line& line) {
  while (line.empty()) enter(line, in.read_in_place());
  while (!line.full()) {
    const HostAnswer* answer = in.pull_in_place();
    if (answer == nullptr) break;
    enter(line, *answer);
  }
  if (!line.await(timer_)) return;
  complete_from(line.next());
  line.leave(timer_.now());
}

/// Adds an answer to a line. A packet of several tokens enters with the last of them, so that no other comes between.
void Completer::enter(Line& line, const HostAnswer& answer) {
  const std::size_t place = free_.back();
  free_.pop_back();
  copy(answer, kept_[place]);
  if (begun_)
    next_[begun_->last] = place;
  else
    begun_ = {.first = place, .last = place};
  begun_->last = place;
  if (answer.packets == 0) return;
  line.enter(in.came(), answer.latency, begun_->first);
  begun_.reset();
}

void Completer::complete_from(std::size_t place) {
  for (bool more = true; more; place = next_[place]) {
    complete(kept_[place]);
    free_.push_back(place);
    more = kept_[place].packets == 0;
  }
}

void Completer::complete(const HostAnswer& answer) {
  Tlps& tlps = out.slot();
  tlps.kind = Tlps::Kind::completion;
  tlps.packets = answer.packets;
  tlps.tag = answer.tag;
  tlps.bytes = answer.bytes;
  tlps.addr = answer.addr;
  std::memcpy(tlps.payload.data(), answer.payload.data(), answer.bytes);
}

void MmioPort::step() {
  const MmioRequest request = in.read();
  Tlps& tlps = out.slot();
  tlps.kind = request.kind == MmioRequest::Kind::store ? Tlps::Kind::write : Tlps::Kind::read;
  tlps.tag = request.tag;
  tlps.packets = 1;
  tlps.bytes = request.bytes;
  tlps.addr = request.addr;
  std::copy_n(request.data.begin(), request.bytes, tlps.payload.begin());
}

}  // namespace isthmus::fabric
