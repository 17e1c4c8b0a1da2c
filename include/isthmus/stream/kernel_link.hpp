#pragma once

#include <cstdint>
#include <string>

#include "isthmus/stream/device_link.hpp"
#include "isthmus/stream/link_users.hpp"

/// Host memory as an actor of a kernel sees it (stacc table I): words, requests and responses apart. The parts between
/// it and the link keep the timing protocol (stacc V-B) and split requests (stacc V-C), on the link's user clock.
namespace isthmus {

/// Splits what an actor asks for into the link's requests. Throws Error for an address inside a word.
class HostReadSplitter {
 public:
  In<PcieReadReq> in{"in"};
  Out<PcieReadReq> requests{"requests"};
  Out<std::uint8_t> order{"order"};  ///< words of each request whose answer will come

  explicit HostReadSplitter(const RequestSpec& spec) : most_(spec.size / kWordBytes) {}
  void step();
  /// It ends with its actor.
  bool done() const { return false; }

 private:
  std::int64_t most_;  ///< most words of a request
};

/// The data half of its read helper: the channel to `in` is the circular buffer.
class HostReadBuffer {
 public:
  In<PcieReadResp> in{"in"};
  In<std::uint8_t> order{"order"};
  Out<PcieReadResp> out{"out"};
  Out<std::uint32_t> consumed{"consumed"};
  void step();
  /// It ends with the splitter and the last of its words.
  bool done() const { return false; }

 private:
  std::uint8_t left_ = 0;  ///< words of the request under way
  std::uint8_t of_ = 0;
};

/// The write helper: gathers the words of each of the link's requests before it lets the request go. Each takes the
/// gap. Throws Error for an address inside a word.
class HostWriter {
 public:
  In<PcieWriteApply> in{"in"};
  In<PcieWriteData> words{"words"};
  Out<PcieWriteApply> requests{"requests"};
  Out<PcieWriteData> data{"data"};
  Out<std::uint8_t> pieces{"pieces"};  ///< for each request, whether it ends what the actor announced

  HostWriter(const RequestSpec& spec, Time period);
  void step();
  /// It ends with its actor.
  bool done() const { return false; }

 private:
  void end_request();

  Timer timer_;
  std::int64_t most_;  ///< most words of a request
  Time gap_;
  std::uint64_t addr_ = 0;     ///< address of the request under way
  std::int64_t left_ = 0;      ///< words that the actor announced and has not sent yet
  std::int64_t gathered_ = 0;  ///< words of the request under way
};

/// Tells the actor of each of its writes once all of it is on its way. It takes what the link says whether or not the
/// actor listens: nobody else's writes wait for that.
class HostWriteTracker {
 public:
  In<PcieWriteDone> writes_done{"writes_done"};
  In<std::uint8_t> pieces{"pieces"};
  Out<PcieWriteDone> written{"written"};
  void step();
  /// It ends with the link and the last that it has to tell.
  bool done() const { return finished_; }

 private:
  std::int64_t due_ = 0;
  bool finished_ = false;
  Timer timer_;
};

/// An actor's ends to host memory, and the part that asks the link for it.
struct HostReadEnds {
  In<PcieReadReq>& requests;
  Out<PcieReadResp>& words;
  ActorId requester;
};
struct HostWriteEnds {
  In<PcieWriteApply>& requests;
  In<PcieWriteData>& words;
  Out<PcieWriteDone>& written;
  ActorId requester;
};

/// A kernel's way to a link: what reports call it, how it asks, the link's user clock.
struct HostWay {
  std::string name;
  RequestSpec requests;
  Clock clock;
};

/// Adds the parts of one way and makes it one of the link's users.
HostReadEnds add_host_reads(Graph& graph, const HostWay& way, LinkUsers& users);
HostWriteEnds add_host_writes(Graph& graph, const HostWay& way, LinkUsers& users);

}  // namespace isthmus
