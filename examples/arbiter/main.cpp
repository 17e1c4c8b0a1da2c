// An arbiter: three clients ask one server, which takes a request a cycle. In turn each gets its share; first come,
// first served, the one that asks most gets most.
#include <fmt/format.h>

#include <array>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>
#include <isthmus/stream/arbiter.hpp>

struct Client {
  isthmus::Out<int> requests;
  isthmus::Timer timer;
  int number;
  int every;  // cycles between two requests
  int left = 6;
  Client(int its_number, int cycles) : number(its_number), every(cycles) {}
  void step() {
    requests.push(number);
    timer.wait_until(timer.now() + isthmus::Time::ns(every));
    --left;
  }
  bool done() const { return left == 0; }
};

struct FirstCome {
  template <class Ports>
  auto next(Ports& ports) {
    return isthmus::first_come(ports);
  }
};

template <class Policy>
struct Server {
  isthmus::PortArray<isthmus::In<int>> clients{3, "clients"};
  Policy policy;
  void step() {
    if (const auto chosen = policy.next(clients)) fmt::print(" {}", clients[*chosen].read());
  }
};

template <class Policy>
void run(const char* name) {
  fmt::print("{}:", name);
  isthmus::Graph graph;
  const isthmus::ActorOptions clock{.clock = isthmus::Clock{isthmus::Frequency::mhz(1000)}};
  auto& server = graph.add<Server<Policy>>("server", clock);
  for (int i = 0; i < 3; ++i) {
    auto& client = graph.add<Client>(fmt::format("client {}", i), clock, i, i + 1);
    graph.connect(client.requests, server.clients[static_cast<std::size_t>(i)]);
  }
  fmt::print("; done at {}\n", to_string(graph.run().end));
}

int main() {
  run<isthmus::RoundRobin>("in turn");
  run<FirstCome>("first come, first served");
}
