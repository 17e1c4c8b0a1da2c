#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/pcie.hpp"

/// The data link layer of a link that makes errors: sequence numbers, Ack, Nak and replay (PCI Express Base
/// Specification 3.0, 3.5). A packet that is lost or comes twice costs time; what leaves at the other end is what was
/// sent, each packet once and in order. DLLPs are not lost.
namespace isthmus::fabric {

/// Sequence numbers have 12 bits (3.5.1).
inline constexpr unsigned kSequences = 4096;

/// An Ack or Nak: the packets up to this one have come.
struct Acknowledgement {
  std::uint16_t sequence;
  bool nak;  ///< Nak: the receiver also asks for the next TLP again
};

/// The time for which a receiver keeps an Ack while fewer than `ack_every` packets have come (3.5.3.1: the latency
/// limit is AckFactor packets of the largest payload on the wire; an Ack may be for AckFactor packets).
Time ack_latency(const PcieLinkSpec& spec);

/// The time for which a sender waits for progress until it replays (3.5.2.1): three times the time that the other end
/// may take to answer, with its delay and that of the wire.
Time replay_timeout(const PcieLinkSpec& spec);

/// An alarm clock: it sends a token at the time that it was given.
class Alarm {
 public:
  In<Time> in{"in"};
  Out<Time> out{"out"};
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
};

/// An actor's end of an alarm clock; one alarm is set at a time.
class AlarmEnd {
 public:
  In<Time> rings{"rings"};
  Out<Time> set{"set"};
  /// Sets the alarm to `at`, unless one is set already, which rings earlier.
  void ring_at(Time at);
  /// Tells whether the alarm has just rung.
  bool rang();

 private:
  bool set_ = false;
};

/// The sending end of a direction. Keeps what it has sent until the other end acknowledges it; sends all that it keeps
/// again when that end asks for it or says nothing for too long.
class ReplayingLane final : public PcieLane {
 public:
  In<Acknowledgement> owed{"owed"};    ///< from the receiving end here, to the other lane's sending end
  In<Acknowledgement> heard{"heard"};  ///< acknowledgements that came over the other lane
  Out<Acknowledgement> acknowledgements{"acknowledgements"};
  AlarmEnd alarm;

  /// `spec` must have faults.
  ReplayingLane(const PcieLinkSpec& spec, std::size_t sources);

  void step();
  /// It ends once nothing goes in either direction: until then it carries what the other direction needs.
  bool done() const { return over_; }

 private:
  /// A packet that is kept until the other end acknowledges it.
  struct Kept {
    std::uint16_t sequence;
    std::int64_t bytes;  ///< bytes of the packet on the wire
    std::vector<Tlps> tokens;
  };
  void hear();
  bool send_acknowledgement();
  bool replay_next();
  void transmit(const Tlps& tlps) override;
  void send(Kept& packet);
  void put(Kept& packet, bool arrives);
  void restart_timer();
  void begin_replay();
  void close();

  LinkFaults faults_;
  Time timeout_;
  Random random_;
  std::deque<Kept> kept_;     ///< packets that are sent and not acknowledged
  std::size_t replayed_ = 0;  ///< kept packets that the replay has sent; all if no replay is under way
  std::uint16_t next_sequence_ = 0;
  Time deadline_ = Time::max();  ///< time at which the replay timer ends
  int replays_in_vain_ = 0;
  bool closed_ = false;
  bool over_ = false;
};

/// The receiving end of a direction: lets the packets through that are whole and whose turn it is, and says so.
class DataLinkReceiver {
 public:
  In<Tlps> in{"in"};
  Out<Tlps> out{"out"};
  Out<Acknowledgement> owed{"owed"};
  AlarmEnd alarm;

  explicit DataLinkReceiver(const PcieLinkSpec& spec) : ack_every_(spec.ack_every), latency_(ack_latency(spec)) {}
  void step();
  bool done() const { return over_; }

 private:
  void accept(const Tlps& tlps);
  void discard(const Tlps& tlps);
  void say(bool nak);

  Timer timer_;
  int ack_every_;
  Time latency_;
  std::uint16_t next_ = 0;  ///< sequence number of the packet whose turn it is
  int unacknowledged_ = 0;
  bool nak_scheduled_ = false;  ///< whether a Nak has asked for a packet that has not come since
  bool over_ = false;
};

/// A direction of a link in a graph.
struct LinkDirection {
  PcieLane& lane;
  Out<Tlps>& out;  ///< port on which packets leave
  Time passed{};   ///< part of the flight time that has passed when they leave
  ReplayingLane* sender = nullptr;
  DataLinkReceiver* receiver = nullptr;
};

/// Adds a direction, with a data link layer where the link makes errors.
LinkDirection add_direction(Graph& graph, const std::string& name, const PcieLinkSpec& spec, std::size_t sources,
                            Time flight);

/// Connects what both directions say of each other's packets.
void tie_directions(Graph& graph, const PcieLinkSpec& spec, const LinkDirection& one, const LinkDirection& other);

}  // namespace isthmus::fabric
