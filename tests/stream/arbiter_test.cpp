#include "isthmus/stream/arbiter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
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

/// `Inputs`: a std::array or a PortArray.
template <class Policy, class Inputs>
struct Server {
  Inputs in;
  std::array<int, 16> served{};
  std::size_t count = 0;
  Policy policy{};
  void step() {
    const auto chosen = policy(in);
    if (chosen) in[*chosen].pull(served.at(count++));
  }
};

struct FirstCome {
  auto operator()(auto& in) { return first_come(in); }
};
struct InTurn {
  RoundRobin turn;
  auto operator()(auto& in) { return turn.next(in); }
};

struct Request {
  int client;
  std::vector<int> ticks;
};

/// Whom a server serves in turn whose ports are `Inputs`, made from `makes`.
template <class Policy, class Inputs, class... Makes>
std::vector<int> serve_at(const std::vector<Request>& requests, bool reversed,
                          const std::array<std::optional<int>, kClients>& priority, Makes... makes) {
  using Serving = Server<Policy, Inputs>;
  Graph graph;
  const Clock clock{Frequency::mhz(1000)};
  Serving* server = nullptr;
  std::array<Client*, kClients> clients{};
  if (reversed) server = &graph.add<Serving>("server", {.clock = clock}, makes...);
  for (int i = 0; i < kClients; ++i) {
    const int n = reversed ? kClients - 1 - i : i;
    auto& client = graph.add<Client>("client" + std::to_string(n), {.clock = clock});
    client.number = n;
    for (const auto& request : requests)
      if (request.client == n)
        for (const int tick : request.ticks) client.ticks.at(static_cast<std::size_t>(client.count++)) = tick;
    clients.at(static_cast<std::size_t>(n)) = &client;
  }
  if (!reversed) server = &graph.add<Serving>("server", {.clock = clock}, makes...);
  for (std::size_t n = 0; n < kClients; ++n)
    graph.connect(clients[n]->out, server->in[n], {.depth = 8, .priority = priority[n]});
  graph.run();
  return {server->served.begin(), server->served.begin() + static_cast<std::ptrdiff_t>(server->count)};
}

template <class Policy>
std::vector<int> serve(const std::vector<Request>& requests, bool reversed,
                       const std::array<std::optional<int>, kClients>& priority = {}) {
  const auto served = serve_at<Policy, std::array<In<int>, kClients>>(requests, reversed, priority);
  EXPECT_EQ((serve_at<Policy, PortArray<In<int>>>(requests, reversed, priority, kClients)), served);
  return served;
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

/// Serves the clients of a PortArray whose ports lie in a span of all but the first.
struct AllButTheFirst {
  RoundRobin turn;
  auto operator()(PortArray<In<int>>& in) {
    std::span rest(in.begin() + 1, in.end());
    const auto chosen = turn.next(rest);
    return chosen ? std::optional(*chosen + 1) : std::nullopt;
  }
};

TEST(RoundRobin, ServesASpanOfInputs) {
  EXPECT_EQ((serve_at<AllButTheFirst, PortArray<In<int>>>({{0, {}}, {1, {2, 3}}, {2, {2, 3}}}, false, {}, kClients)),
            (std::vector{1, 2, 1, 2}));
}

}  // namespace
}  // namespace isthmus
