#pragma once

#include <isthmus/base/error.hpp>
#include <isthmus/engine/graph.hpp>
#include <string>

namespace isthmus::reference {

inline const Clock kClock{Frequency::mhz(1000), 0, 1, ""};

struct Source {
  Out<int> out;
  int sent = 0;
  int count = 10;
  void step() {
    out.push(sent);
    ++sent;
  }
  bool done() const { return sent == count; }
};
struct Sink {
  In<int> in;
  int got = 0;
  void step() {
    int value = 0;
    if (in.pull(value)) ++got;
  }
};
struct Relay {
  In<int> in;
  Out<int> out;
  void step() { out.push(in.read()); }
};

/// The text of the Error that `build` throws; "" without one.
template <class Build>
std::string refusal(Build build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace isthmus::reference
