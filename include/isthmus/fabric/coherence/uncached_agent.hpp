#pragma once

#include <vector>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"

namespace isthmus::fabric {

/// A client that asks the home of lines without a cache: what it reads is not kept, and of what it writes all caches
/// give up their lines. Its accesses are reads and writes of whole lines, a request a cycle; a write has its result
/// once its bytes are on their way to the home's memory.
class UncachedAgent {
 public:
  In<LineAccess> requests{"requests"};
  Out<LineResult> results{"results"};  ///< a client takes them whatever else it waits for
  Out<HomeRequest> home_requests{"home_requests"};
  In<HomeAnswer> home_answers{"home_answers"};
  Out<Confirm> confirms{"confirms"};
  Out<WriteBack> write_backs{"write_backs"};

  /// `line` is the size of a line in bytes, `lines` the most that are under way.
  UncachedAgent(int line, int lines);

  void step();
  bool done() const { return over_; }

 private:
  void take_answer();
  void take_request();
  void leave();

  Timer timer_;
  int line_;
  std::vector<LineAccess> lines_;
  Places free_;
  int under_way_ = 0;
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
