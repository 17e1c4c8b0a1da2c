#pragma once

#include <cstddef>

#include "application/run.hpp"
#include "application/unclocked.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/engine/port_array.hpp"
#include "isthmus/stream/host_buffers.hpp"

/// What the host tells a kernel before the first message, where others than the host send the messages.
namespace isthmus::program {

inline bool has_control(const ByteApplication& application) {
  return !application.extras.control.messages.empty();
}
/// The configurers of a copy of its kernel.
inline std::size_t configurers_of(const ByteApplication& application) {
  return has_control(application) ? 1 : 0;
}

/// Sends what the kernel must know, and waits for its answer if there is to be one.
void configure(HostControl& control, const Control& sent);

/// The kernel knows.
struct Configured {};

/// The thread of the host that tells it.
class Configurer {
 public:
  HostControl control;
  Out<Configured> configured{"configured"};

  Configurer(const Control& sent, Time store) : control(store), sent_(sent) {}
  void step();
  bool done() const { return done_; }

 private:
  const Control& sent_;
  bool done_ = false;
};

/// The end of whoever sends the first message: it waits, once, for the configurers of all copies of the kernel. Without
/// any it goes on at once.
class Configurers {
 public:
  PortArray<In<Configured>> configured;

  explicit Configurers(std::size_t count) : configured(count, "configured") {}
  void wait() {
    for (; told_ < configured.size(); ++told_) configured[told_].read();
  }

 private:
  std::size_t told_ = 0;
};

/// Adds the configurer of a copy of an application's kernel at a link's control messages, whose stores take so long;
/// `waiting` waits for it. Nothing where the application has none.
template <class Link>
void add_configurer(Graph& graph, Link& link, const ByteApplication& application, Time store, Configurers& waiting,
                    std::size_t copy = 0) {
  if (!has_control(application)) return;
  auto& configurer = graph.add<Configurer>("configurer", {.group = kHostGroup}, application.extras.control, store);
  link.connect(configurer.control);
  graph.connect(configurer.configured, waiting.configured[copy], unclocked(1));
}

}  // namespace isthmus::program
