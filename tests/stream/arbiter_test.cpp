#include "isthmus/stream/arbiter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"

namespace isthmus {
namespace {

constexpr int kClients = 3;

/// Pushes its number at the ticks it was given.
struct Client {
  Out<int> out;
  Timer timer;
  std::array<int, 4> ticks{};
  int number = 0;
  int sent = 0;
  int count = 0;
  void step() {
    timer.wait_until(Time::ns(ticks.at(static_cast<std::size_t>(sent))));
    out.push(number);
    ++sent;
  }
  bool done() const { return sent == count; }
};

template <class Policy>
struct Server {
  std::array<In<int>, kClients> in;
  std::array<int, 16> served{};
  std::size_t count = 0;
  Policy policy;
  void step() {
    const auto chosen = policy(in);
    if (chosen) in[*chosen].pull(served.at(count++));
  }
};

struct FirstCome {
  auto operator()(std::array<In<int>, kClients>& in) { return first_come(in); }
};
struct InTurn {
  RoundRobin turn;
  auto operator()(std::array<In<int>, kClients>& in) { return turn.next(in); }
};

struct Request {
  int client;
  std::vector<int> ticks;
};

template <class Policy>
std::vector<int> serve(const std::vector<Request>& requests, bool reversed,
                       std::array<std::optional<int>, kClients> priority = {}) {
  Graph graph;
  const Clock clock{Frequency::mhz(1000)};
  Server<Policy>* server = nullptr;
  std::array<Client*, kClients> clients{};
  if (reversed) server = &graph.add<Server<Policy>>("server", {.clock = clock});
  for (int i = 0; i < kClients; ++i) {
    const int n = reversed ? kClients - 1 - i : i;
    auto& client = graph.add<Client>("client" + std::to_string(n), {.clock = clock});
    client.number = n;
    for (const auto& request : requests)
      if (request.client == n)
        for (const int tick : request.ticks) client.ticks.at(static_cast<std::size_t>(client.count++)) = tick;
    clients.at(static_cast<std::size_t>(n)) = &client;
  }
  if (!reversed) server = &graph.add<Server<Policy>>("server", {.clock = clock});
  for (std::size_t n = 0; n < kClients; ++n)
    graph.connect(clients[n]->out, server->in[n], {.depth = 8, .priority = priority[n]});
  graph.run();
  return {server->served.begin(), server->served.begin() + static_cast<std::ptrdiff_t>(server->count)};
}

TEST(FirstCome, ServesInTheOrderOfBecomingVisible) {
  EXPECT_EQ(serve<FirstCome>({{0, {5}}, {1, {3}}, {2, {4}}}, false), (std::vector{1, 2, 0}));
}

TEST(FirstCome, BreaksTiesByTheNaturalOrderOfNamesNotByDeclaration) {
  const std::vector<Request> together{{0, {2}}, {1, {2}}, {2, {2}}};
  EXPECT_EQ(serve<FirstCome>(together, false), (std::vector{0, 1, 2}));
  EXPECT_EQ(serve<FirstCome>(together, true), (std::vector{0, 1, 2}));
}

TEST(FirstCome, LetsAPriorityOverrideTheName) {
  EXPECT_EQ(serve<FirstCome>({{0, {2}}, {1, {2}}, {2, {2}}}, false, {2, 1, 0}), (std::vector{2, 1, 0}));
}

TEST(RoundRobin, StartsAtTheFirstKeyAndPassesOverTheSilent) {
  // From tick 3 on clients 0 and 2 always have a token: they take turns; 1 comes in where its token is there.
  EXPECT_EQ(serve<InTurn>({{0, {2, 3, 4}}, {1, {4}}, {2, {2, 3, 4}}}, false), (std::vector{0, 2, 0, 1, 2, 0, 2}));
  EXPECT_EQ(serve<InTurn>({{0, {2, 3, 4}}, {1, {4}}, {2, {2, 3, 4}}}, true), (std::vector{0, 2, 0, 1, 2, 0, 2}));
}

}  // namespace
}  // namespace isthmus
