#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/engine/occupancy.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"

namespace isthmus::fabric {

/// The name of a service layer's places in reports.
inline constexpr const char* kReadsInFlight = "reads in flight";
inline constexpr const char* kWritesInFlight = "writes in flight";

struct ServiceLayerSpec {
  int reads_in_flight = 8;
  int writes_in_flight = 8;
  int interval = 1;                    ///< cycles from an access to the next
  int depth = 1;                       ///< depth of the channel from `accesses`
  const SharedSpace* space = nullptr;  ///< address space of the circuit; null: host addresses
  std::size_t held_pages = 0;          ///< pages of `space` whose translations are held; 0: all
  int page_walk = 0;      ///< cycles to find the translation of another page, during which no access passes
  std::size_t agent = 0;  ///< number of its cache among the agents, for the observer
  CoherenceObserver* observer = nullptr;
};

/// The layer between a circuit and its cache (choi2019: system protocol layer): it sends requests on, of reads and
/// writes one a cycle, in turn where both are there, and hands results back in the order of the requests, of reads and
/// of writes, a fence's as one of them. A place for the result is taken with the request, so that the cache never waits
/// to give one; places for reads and for writes are limited. The latencies of its channels are the times of its phases;
/// an access to a page that has to be found first holds up all behind it.
class ServiceLayer {
 public:
  In<LineAccess> reads{"reads"};
  In<LineAccess> writes{"writes"};
  Out<LineAccess> accesses{"accesses"};  ///< accesses to the cache
  In<LineResult> results{"results"};     ///< results from the cache
  Out<LineResult> read_results{"read_results"};
  Out<LineResult> write_results{"write_results"};

  explicit ServiceLayer(const ServiceLayerSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Place {
    bool done = false;
    std::uint16_t tag = 0;  ///< tag that the client gave
    LineResult result{};
  };
  /// Requests of one kind, in order.
  struct Order {
    Order(const char* name, int most) : places(static_cast<std::size_t>(most)), in_flight(name, most) {}
    std::vector<Place> places;
    std::size_t first = 0;
    std::size_t count = 0;
    Occupancy in_flight;

    bool full() const { return count == places.size(); }
    std::size_t next() const {
      const std::size_t at = first + count;
      return at < places.size() ? at : at - places.size();
    }
  };

  void take_result();
  void hand_back(Order& order, Out<LineResult>& to);
  void send();
  bool send(In<LineAccess>& from, Order& order);
  bool must_walk(In<LineAccess>& from);
  void end();

  Timer timer_;
  ServiceLayerSpec spec_;
  int sent_ = 0;   ///< accesses at the cache without a result yet
  int rests_ = 0;  ///< cycles until the next access may go
  HeldPages held_;
  Order reading_;
  Order writing_;
  bool write_next_ = false;
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
