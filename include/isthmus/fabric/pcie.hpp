#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "isthmus/engine/clock.hpp"
#include "isthmus/stream.hpp"

/// The PCIe link: what goes over it and its two lanes of traffic. PCI Express Base Specification 3.0 where no other
/// source is named.
namespace isthmus::fabric {

/// The probabilities of faults on each lane of a link, for each TLP every time that it is sent.
struct LinkFaults {
  double drop = 0;       ///< probability that a TLP does not arrive
  double duplicate = 0;  ///< probability that a TLP arrives twice
  double corrupt = 0;    ///< probability that a TLP has a wrong LCRC

  bool any() const { return drop > 0 || duplicate > 0 || corrupt > 0; }
};

/// The numbers of a link and of both its ends, as platform files give them (link.pcie.*).
struct PcieLinkSpec {
  int generation = 3;
  int lanes = 16;
  Bytes max_payload{128};
  Bytes max_read_request{512};
  Bytes read_completion_boundary{64};
  Bytes request_overhead{30};     ///< framing, sequence number, header with 64-bit address, CRCs (stacc III-D)
  Bytes completion_overhead{26};  ///< bytes around a completion's payload, with a completion's header
  Bytes dllp_size{8};
  int ack_every = 3;        ///< TLPs received for one Ack
  int update_fc_every = 3;  ///< TLPs of one type taken out of the receive buffer for one UpdateFC
  int tags = 32;            ///< read requests that the device may have under way
  int posted_header_credits = 64;
  int posted_data_credits = 1024;  ///< credits for posted data, in units of 16 bytes
  int nonposted_header_credits = 64;
  Time flight = Time::ns(150);    ///< from last byte sent to hand-over at the other end: physical and link layers
  Time round_trip = Time::us(1);  ///< from a device's read request to its completion on an idle link, wire time apart
  Bytes user_width{64};           ///< width of the data path of the FPGA's PCIe block
  Clock user_clock{Frequency::mhz(250)};
  /// The errors that the link makes: each packet is then a token of its own, which the data link layer numbers and
  /// replays (pcie_data_link.hpp). None: the link has no data link layer.
  std::optional<LinkFaults> faults{};
};

/// The rate of one direction of the link before any overhead: lanes * transfer rate * encoding (4.2.1, 4.2.2: 8b/10b up
/// to generation 2, 128b/130b from 3).
Bandwidth raw_bandwidth(const PcieLinkSpec& spec);

/// The advertised rate of a link: lanes * transfer rate, the encoding still in it (choi2019 table 2).
Bandwidth advertised_bandwidth(const PcieLinkSpec& spec);

/// The largest payload of a packet (2.2.2). A link's max_payload may not be above.
inline constexpr std::int64_t kMaxPayload = 4096;

/// The most payload that a token holds: what a read asks for by default. A packet of more is several tokens, all but
/// the last of them full: its bytes travel by value like others, and a token stays as small as most packets need.
inline constexpr std::int64_t kMostPayload = 512;

/// Transaction-layer packets of one read or write that follow each other on the link, with their payload.
struct Tlps {
  enum class Kind : std::uint8_t { write, read, completion };
  Kind kind;
  std::uint8_t packets;         ///< packets that end with this token; 0: the packet goes on in the next token
  std::uint16_t tag;            ///< tag of a read and of its completions
  std::uint16_t bytes;          ///< bytes that a read asks for, or that another packet carries
  std::uint16_t sequence : 12;  ///< sequence number of the packet, on a link that makes errors
  std::uint16_t corrupted : 1;  ///< whether the LCRC is wrong
  std::uint16_t ends : 1;       ///< end of the link's data: this token is no packet, and nothing follows it
  Time there;                   ///< time at which the first completion is at the receiver
  Time spacing;                 ///< time from one completion to the next
  std::uint64_t addr;
  std::array<std::byte, kMostPayload> payload;

  bool carries_data() const { return kind != Kind::read; }
};

/// Copies the header and as much of the payload as there is.
inline void copy(const Tlps& from, Tlps& to) {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(Tlps, payload));
  if (from.carries_data()) std::memcpy(to.payload.data(), from.payload.data(), from.bytes);
}

/// Room in a receiver's buffers, as an UpdateFC returns it (2.6.1). Completions need none: the requester has room for
/// what it asked for.
struct Credits {
  std::int32_t posted_headers = 0;
  std::int32_t posted_data = 0;  ///< credits for posted data, in units of 16 bytes
  std::int32_t nonposted_headers = 0;

  bool operator==(const Credits&) const = default;
  Credits& operator+=(const Credits& other) {
    posted_headers += other.posted_headers;
    posted_data += other.posted_data;
    nonposted_headers += other.nonposted_headers;
    return *this;
  }
  Credits& operator-=(const Credits& other) {
    posted_headers -= other.posted_headers;
    posted_data -= other.posted_data;
    nonposted_headers -= other.nonposted_headers;
    return *this;
  }
  bool cover(const Credits& cost) const {
    return posted_headers >= cost.posted_headers && posted_data >= cost.posted_data &&
           nonposted_headers >= cost.nonposted_headers;
  }
};
/// Bytes that one unit of data credit stands for (2.6.1).
inline constexpr int kDataCreditBytes = 16;

/// The credits that TLPs take.
inline Credits credits_of(const Tlps& tlps) {
  if (tlps.kind == Tlps::Kind::read) return {.nonposted_headers = tlps.packets};
  if (tlps.kind == Tlps::Kind::completion) return {};
  return {.posted_headers = tlps.packets, .posted_data = (tlps.bytes + kDataCreditBytes - 1) / kDataCreditBytes};
}

/// Data-link-layer packets that a receiver owes the other end at one instant.
struct Dllps {
  int acks;
  int updates;
  Credits credits;  ///< credits of the updates

  int count() const { return acks + updates; }
};

/// The number of writes that may go together: half of those that the receiver's credits allow, so that the next are on
/// their way before the credits of these are back.
int packets_together(const PcieLinkSpec& spec);

/// The most payload that goes as one token.
std::int64_t most_in_token(const PcieLinkSpec& spec);

/// The number of tokens of a packet with the largest payload.
int tokens_of_packet(const PcieLinkSpec& spec);

/// The number of writes of the largest payload that the receiver's credits allow.
int posted_packets(const PcieLinkSpec& spec);

/// Counts what a receiver takes off the link and says which DLLPs that makes due: an Ack for every `ack_every` TLPs
/// where the link makes no errors, whose data link layer says it otherwise; an UpdateFC for every `update_fc_every` of
/// one type.
class Receipts {
 public:
  explicit Receipts(const PcieLinkSpec& spec);
  /// Counts `tlps`, and returns the DLLPs that are due now, if any.
  Dllps took(const Tlps& tlps);
  /// Credits taken but not yet returned.
  Credits kept() const;

 private:
  bool acknowledges_;
  int ack_every_;
  int posted_every_;
  int nonposted_every_;
  int unacknowledged_ = 0;
  int posted_since_update_ = 0;
  int nonposted_since_update_ = 0;
  Credits posted_;
  Credits nonposted_;
};

/// The faults that happened on a lane, in TLPs.
struct LinkErrors {
  std::int64_t dropped = 0;
  std::int64_t duplicated = 0;
  std::int64_t corrupted = 0;
  std::int64_t replayed = 0;  ///< TLPs that were sent again because of these faults

  bool operator==(const LinkErrors&) const = default;
};

/// The name of the credits that a lane waits for, in reports.
inline constexpr const char* kPostedHeaders = "posted header credits";
inline constexpr const char* kPostedData = "posted data credits";
inline constexpr const char* kNonpostedHeaders = "nonposted header credits";

/// One direction of a PCIe link: serialises TLPs and DLLPs at the link's rate, then delivers them after the flight
/// time.
///
/// Each TLP pays the overhead of its kind and waits for the receiver's credits. Before the next TLPs go the DLLPs that
/// the receiver at the sending end owes for the other direction (3.5.2.1); of the sources a later one goes first.
/// Completions are handed over with the first of them, writes with the last. A packet that is several tokens goes when
/// the last of them is there; only the first source has such packets. This lane makes no errors, so there are no
/// replays (ReplayingLane). It ends when its last source has.
class PcieLane {
 public:
  PortArray<In<Tlps>> in;
  In<Dllps> dllps{"dllps"};                  ///< DLLPs that the receiver at this lane's sending end owes
  In<Credits> credits_back{"credits_back"};  ///< credit updates that came over the other lane
  Out<Tlps> out{"out"};
  Out<Credits> updates{"updates"};  ///< credit updates to the other lane's sending end

  PcieLane(const PcieLinkSpec& spec, std::size_t sources);
  virtual ~PcieLane() = default;

  void step();
  bool done() const { return false; }

  /// The receiver's room as this end knows it; at rest all that the link has.
  const Credits& credits() const { return credits_; }
  std::uint64_t wire_bytes() const { return wire_bytes_; }
  const LinkErrors& errors() const { return errors_; }

 protected:
  /// Each of these sends one packet if there is one, and tells whether there was. A packet that lacks credits is tried
  /// again.
  bool send_dllps();
  bool send_tlps();
  bool sources_closed() { return in[in.size() - 1].closed(); }
  void hear_updates();

  /// Sends a packet, or several in one token, for which there are credits; the other tokens of a packet of several are
  /// in `begun`.
  virtual void transmit(const Tlps& tlps);
  /// Takes the earlier tokens of the packet that ends with the token under way.
  std::vector<Tlps> take_begun();
  std::int64_t wire_size(const Tlps& tlps) const;
  void hand_over(const Tlps& tlps, Time spacing);
  /// Occupies the lane with these bytes for the time that it returns.
  Time occupy(std::int64_t bytes);
  const PcieLinkSpec& spec() const { return spec_; }

  Timer timer_;
  LinkErrors errors_;

 private:
  bool next_tlps();
  bool ends_begun() const { return from_ == 0 && !begun_.empty(); }
  Credits cost_of_next() const;
  bool has_credits(const Credits& cost);
  void take_credits(const Credits& cost);
  void send_next();
  Time wire_time(std::int64_t bytes) const;

  PcieLinkSpec spec_;
  double byte_time_fs_;
  Credits credits_;
  Occupancy posted_headers_;
  Occupancy posted_data_;
  Occupancy nonposted_headers_;
  const Tlps* next_ = nullptr;  ///< token that waits for credits
  std::size_t from_ = 0;        ///< index of the input that `next_` came from
  std::vector<Tlps> begun_;     ///< tokens of a packet whose last token has not come
  std::uint64_t wire_bytes_ = 0;
};

}  // namespace isthmus::fabric
