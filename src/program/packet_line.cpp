#include "program/packet_line.hpp"

#include <fmt/format.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// What a packet takes of a socket's room besides its bytes, at most.
constexpr std::size_t kBookkeeping = 1280;
/// More than one call moves make no difference.
constexpr int kLargestWindow = 8 * static_cast<int>(PacketBatch::kMost);
constexpr int kRoom = 4 << 20;

[[noreturn]] void fail(const std::string& what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)));
}

int option_of(int end, int name) {
  int value = 0;
  socklen_t size = sizeof(value);
  if (getsockopt(end, SOL_SOCKET, name, &value, &size) != 0) fail("getsockopt");
  return value;
}

/// Asks for as much room as the system gives.
void widen(int end) {
  for (const int name : {SO_RCVBUF, SO_SNDBUF})
    if (setsockopt(end, SOL_SOCKET, name, &kRoom, sizeof(kRoom)) != 0) fail("setsockopt");
}

bool would_wait(int error) {
  return error == EAGAIN || error == EINTR || error == ENOBUFS;
}

int dropped_at(int end) {
  tpacket_stats statistics{};
  socklen_t size = sizeof(statistics);
  if (getsockopt(end, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) != 0) fail("PACKET_STATISTICS");
  return static_cast<int>(statistics.tp_drops);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

PacketLine PacketLine::open(const std::string& transport, std::size_t largest) {
  if (transport == "veth") {
    VethPair pair = open_veth_pair(largest);
    return {transport, std::move(pair.outside), std::move(pair.inside), largest};
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("a pair of local sockets");
  return {transport, Descriptor(ends[0]), Descriptor(ends[1]), largest};
}

PacketLine::PacketLine(std::string transport, Descriptor outside, Descriptor inside, std::size_t largest)
    : transport_(std::move(transport)), outside_(std::move(outside)), inside_(std::move(inside)), window_(1) {
  std::size_t room = ~std::size_t{0};
  for (const int end : {outside_.number(), inside_.number()}) {
    widen(end);
    room = std::min(room, static_cast<std::size_t>(option_of(end, SO_RCVBUF)));
  }
  // The system counts memory in powers of two.
  const std::size_t each = 2 * largest + kBookkeeping;
  window_ = std::clamp(static_cast<int>(room / each), 1, kLargestWindow);
}

int PacketLine::dropped() const {
  if (transport_ != "veth") return 0;  // local sockets make who sends wait
  return dropped_at(outside_.number()) + dropped_at(inside_.number());
}

std::size_t receive(int end, PacketBatch& batch) {
  std::array<mmsghdr, PacketBatch::kMost> headers{};
  std::array<iovec, PacketBatch::kMost> places{};
  for (std::size_t i = 0; i < headers.size(); ++i) {
    places[i] = {.iov_base = batch.at(i), .iov_len = batch.room()};
    headers[i].msg_hdr.msg_iov = &places[i];
    headers[i].msg_hdr.msg_iovlen = 1;
  }
  const int count = recvmmsg(end, headers.data(), headers.size(), MSG_DONTWAIT, nullptr);
  if (count < 0 && !would_wait(errno)) fail("receiving packets");
  for (int i = 0; i < count; ++i) {
    const auto& header = headers[static_cast<std::size_t>(i)];
    if ((header.msg_hdr.msg_flags & MSG_TRUNC) != 0)
      throw Error(fmt::format("receiving packets: expected at most {} B, got a larger one", batch.room()));
    batch.length(static_cast<std::size_t>(i)) = header.msg_len;
  }
  return static_cast<std::size_t>(std::max(count, 0));
}

void wait_for_packets(int end) {
  pollfd poll{.fd = end, .events = POLLIN, .revents = 0};
  if (::poll(&poll, 1, 1) < 0 && errno != EINTR) fail("poll");
}

std::size_t send(int end, std::span<const PacketBytes> packets) {
  std::array<mmsghdr, PacketBatch::kMost> headers{};
  std::array<iovec, PacketBatch::kMost> places{};
  const std::size_t most = std::min(packets.size(), headers.size());
  for (std::size_t i = 0; i < most; ++i) {
    places[i] = {.iov_base = const_cast<std::byte*>(packets[i].data()), .iov_len = packets[i].size()};
    headers[i].msg_hdr.msg_iov = &places[i];
    headers[i].msg_hdr.msg_iovlen = 1;
  }
  const int count = sendmmsg(end, headers.data(), static_cast<unsigned>(most), MSG_DONTWAIT);
  if (count < 0 && !would_wait(errno)) fail("sending packets");
  return static_cast<std::size_t>(std::max(count, 0));
}

}  // namespace isthmus::program
