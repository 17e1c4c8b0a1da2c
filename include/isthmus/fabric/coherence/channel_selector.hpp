#pragma once

#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"

namespace isthmus::fabric {

struct ChannelSelectorSpec {
  int channels = 3;
  int depth = 8;             ///< entries of each channel's queue of reads, and of its queue of writes
  bool round_robin = false;  ///< requests over `va` go to each queue in turn; else to the shortest queue
};

/// ChannelSelector connects a circuit to the channels of its board. It passes each request to the channel that it
/// names, or to the one with the shortest queue (VA), and passes results back as they come, one read's and one write's
/// a cycle. A request of several lines goes over one channel. A fence over any channel goes over all, and is answered
/// after all have answered.
class ChannelSelector {
 public:
  In<LineAccess> reads{"reads"};
  In<LineAccess> writes{"writes"};
  Out<LineResult> read_results{"read_results"};
  Out<LineResult> write_results{"write_results"};
  PortArray<Out<LineAccess>> channel_reads;
  PortArray<Out<LineAccess>> channel_writes;
  PortArray<In<LineResult>> reads_done;
  PortArray<In<LineResult>> writes_done;

  explicit ChannelSelector(const ChannelSelectorSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  /// A channel's requests of one kind.
  struct Queue {
    Ring<LineAccess> waiting;
    int length = 0;
    int under_way = 0;  ///< queued lines, and lines without a result yet
  };
  struct Side {
    std::vector<Queue> queues;
    std::size_t last = 0;   ///< channel of the request at hand, or of the last one
    bool within = false;    ///< whether lines of the current request are still to come
    std::size_t first = 0;  ///< channel whose turn it is to give results
    std::size_t turn = 0;   ///< channel whose turn it is in round robin
  };

  void take(In<LineAccess>& from, Side& side);
  bool choose(const LineAccess& access, Side& side);
  bool fence_all(const LineAccess& fence);
  void enqueue(Side& side, std::size_t channel, const LineAccess& access);
  void send(Side& side, PortArray<Out<LineAccess>>& to);
  void hand_back(Side& side, PortArray<In<LineResult>>& from, Out<LineResult>& to);
  bool idle(const Side& side) const;
  std::size_t shortest(const Side& side) const;

  Timer timer_;
  ChannelSelectorSpec spec_;
  Side reading_;
  Side writing_;
  int fences_left_ = 0;  ///< channels that have not answered the fence over all
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
