#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isthmus/fabric/delay_line.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/pcie.hpp"

/// The host's end of a link.
namespace isthmus::fabric {

/// Writes to this address are message-signalled interrupts (6.1.4); their tag is the number.
inline constexpr std::uint64_t kInterruptAddress = 0xfee0'0000;

/// Takes TLPs off a link and asks the host for what they ask for. The room that one took in the receive buffer is free
/// once the host has taken it, which makes DLLPs due. Replies and interrupts go to host software by the same path,
/// behind the writes that came before them.
class RootPort {
 public:
  In<Tlps> in{"in"};
  Out<HostRequest> requests{"requests"};

  RootPort(const PcieLinkSpec& link, int port) : link_(link), port_(port), receipts_(link) {}

  void step();
  /// It ends with the lane that it reads.
  bool done() const { return false; }

  /// Credits of packets taken off the link, not yet returned.
  Credits unreturned() const { return receipts_.kept(); }

 private:
  void read(const Tlps& tlps, Dllps due);
  void write(const Tlps& tlps, const Dllps& due);
  void deliver(const Tlps& tlps, DeviceMessage::Kind kind, const Dllps& due);
  HostRequest& request(HostRequest::Kind kind, const Tlps& tlps, const Dllps& due);

  PcieLinkSpec link_;
  int port_;
  Receipts receipts_;
};

/// A queue in which messages wait for host software, so that no other traffic waits for it.
class MessageQueue {
 public:
  In<DeviceMessage> in{"in"};
  Out<DeviceMessage> out{"out"};
  void step() { out.push(in.read()); }
  bool done() const { return false; }
};

/// Makes completions of the host's answers, each when its data are there. Answers that all take the same time wait in
/// the channel from the host; those of which one may overtake another wait in a DelayLine. The way from there to the
/// lane is the latency of the channel from `out`.
class Completer {
 public:
  In<HostAnswer> in{"in"};
  Out<Tlps> out{"out"};

  explicit Completer(const std::optional<DelayLineSpec>& overtaking);

  void step();
  /// Its input may be drained before all have left: a read ends it.
  bool done() const { return false; }

 private:
  using Line = DelayLine<std::size_t>;  ///< delay line of indices into `kept_`

  void complete_next();
  void keep(Line& line);
  void enter(Line& line, const HostAnswer& answer);
  void complete_from(std::size_t place);
  void complete(const HostAnswer& answer);

  Timer timer_;
  std::optional<Line> line_;
  std::vector<HostAnswer> kept_;
  std::vector<std::size_t> next_;  ///< for each index of `kept_`, the index at which its packet continues
  std::vector<std::size_t> free_;
  struct Begun {
    std::size_t first;
    std::size_t last;
  };
  std::optional<Begun> begun_;  ///< indices of a packet whose last token has not come
};

/// The bytes of the next completion of a read that continues at `addr`: no more than the largest payload, and it ends
/// at a multiple of the read completion boundary unless it is the last (2.3.1.1).
std::int64_t completion_bytes(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining);

/// The entry of host software's stores and loads to the link.
class MmioPort {
 public:
  In<MmioRequest> in{"in"};
  Out<Tlps> out{"out"};
  void step();
  /// It ends with host software.
  bool done() const { return false; }
};

}  // namespace isthmus::fabric
