#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/stream/arbiter.hpp"
#include "isthmus/stream/pcie_interface.hpp"

/// Several parts of a device that read and write host memory over one link: each in its order, none waits for more than
/// one request of each of the others.
namespace isthmus {

/// One that reads: it has room for `words` of answers, and asks for no more.
struct LinkReads {
  Out<PcieReadReq>& requests;
  In<PcieReadResp>& data;
  int words;
};

/// One that writes: the words of a request are there when it is announced.
struct LinkWrites {
  Out<PcieWriteApply>& requests;
  Out<PcieWriteData>& data;
  In<PcieWriteDone>& written;
  int words;      ///< words that may wait for the link
  int requested;  ///< requests that may be in flight: `written` has room for as many answers
};

/// The user whose turn it was, and the number of its words.
struct LinkTurn {
  std::uint32_t user;
  std::uint32_t words;
};

/// Reads of all users in turn, a request at a time.
class ReadArbiter {
 public:
  PortArray<In<PcieReadReq>> requests;
  Out<PcieReadReq> out{"out"};
  Out<LinkTurn> turns{"turns"};

  explicit ReadArbiter(std::size_t users) : requests(users, "requests") {}
  void step();
  /// It ends with its users.
  bool done() const { return finished_; }

 private:
  RoundRobin turn_;
  bool finished_ = false;
  Timer timer_;
};

/// Gives the words that come back to whoever asked for them: the link answers in the order of the requests.
class ReadDistributor {
 public:
  In<PcieReadResp> in{"in"};
  In<LinkTurn> turns{"turns"};
  PortArray<Out<PcieReadResp>> out;

  explicit ReadDistributor(std::size_t users) : out(users, "out") {}
  void step();
  /// It ends with the arbiter and the last of its words.
  bool done() const { return false; }

 private:
  LinkTurn turn_{};
};

/// Writes of all users in turn, a request with all its words at a time.
class WriteArbiter {
 public:
  PortArray<In<PcieWriteApply>> requests;
  PortArray<In<PcieWriteData>> data;
  Out<PcieWriteApply> out{"out"};
  Out<PcieWriteData> words{"words"};
  Out<LinkTurn> turns{"turns"};

  explicit WriteArbiter(std::size_t users) : requests(users, "requests"), data(users, "data") {}
  void step();
  /// It ends with its users.
  bool done() const { return finished_; }

 private:
  void choose();

  RoundRobin turn_;
  LinkTurn under_way_{};
  bool finished_ = false;
  Timer timer_;
};

/// Tells each user of the writes that are on their way.
class WriteDistributor {
 public:
  In<PcieWriteDone> in{"in"};
  In<LinkTurn> turns{"turns"};
  PortArray<Out<PcieWriteDone>> written;

  explicit WriteDistributor(std::size_t users) : written(users, "written") {}
  void step();
  /// It ends with the arbiter.
  bool done() const { return false; }
};

/// The users of a link. One by itself is tied to the link as if there were nothing between.
class LinkUsers {
 public:
  LinkUsers(Graph& graph, const PcieInterface& link, const Clock& clock) : graph_(graph), link_(link), clock_(clock) {}

  void add(const LinkReads& reads) { reads_.push_back(reads); }
  void add(const LinkWrites& writes) { writes_.push_back(writes); }

  /// Once all are there.
  void connect();

 private:
  void connect_alone(const LinkReads& reads);
  void connect_alone(const LinkWrites& writes);
  void share_reads();
  void share_writes();

  Graph& graph_;
  PcieInterface link_;
  Clock clock_;  ///< the link's user clock
  std::vector<LinkReads> reads_;
  std::vector<LinkWrites> writes_;
};

}  // namespace isthmus
