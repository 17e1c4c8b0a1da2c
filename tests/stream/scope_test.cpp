// Whom arbiters serve first does not depend on the scope that their clients were made in.
#include <gtest/gtest.h>

#include <algorithm>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream/arbiter.hpp>
#include <string>
#include <vector>

#include "engine/dice.hpp"

namespace isthmus {
namespace {

using reference::Dice;

/// Pushes its number at the times it was given, of which many are those of other clients too.
struct Asking {
  Out<int> out;
  Timer timer;
  int number = 0;
  std::vector<int> at;
  std::size_t sent = 0;
  void step() {
    timer.wait_until(Time::ns(at[sent++]));
    out.push(number);
  }
  bool done() const { return sent == at.size(); }
};

struct Serving {
  PortArray<In<int>> in;
  bool in_turn;
  RoundRobin turn{};
  std::vector<int> served{};
  Serving(std::size_t clients, bool takes_turns) : in(clients), in_turn(takes_turns) {}
  void step() {
    const auto chosen = in_turn ? turn.next(in) : first_come(in);
    if (chosen) in[*chosen].pull(served.emplace_back());
  }
};

/// Clients of several servers.
struct Crowd {
  std::vector<std::string> names;
  std::vector<std::vector<int>> times;
  std::vector<std::size_t> server_of;
  std::size_t servers;
};

/// Numbers with and without zeros before them, letters, characters on either side of what stands behind a scope.
std::string a_name(Dice& dice) {
  std::string name;
  for (int parts = dice.number(1, 3); parts > 0; --parts)
    name += dice.one_of<const char*>({"0", "2", "10", "007", "7", "a", "b", "client", " ", ".", "/", ":", "!", "A"});
  return name;
}

Crowd a_crowd(Dice& dice) {
  Crowd crowd;
  for (int clients = dice.number(2, 12); clients > 0; --clients) {
    const std::string name = a_name(dice);
    if (std::ranges::count(crowd.names, name) > 0) continue;
    crowd.names.push_back(name);
    auto& times = crowd.times.emplace_back();
    for (int i = dice.number(1, 6); i > 0; --i) times.push_back(dice.number(1, 12));
    std::ranges::sort(times);
  }
  crowd.servers = std::min<std::size_t>(crowd.names.size(), static_cast<std::size_t>(dice.between(1, 3)));
  for (std::size_t i = 0; i < crowd.names.size(); ++i) crowd.server_of.push_back(i % crowd.servers);
  return crowd;
}

/// Whom each server serves, with all clients in `scopes`, one inside the other.
std::vector<std::vector<int>> serve(const Crowd& crowd, bool in_turn, const std::vector<std::string>& scopes) {
  Graph graph;
  const ActorOptions clocked{.clock = Clock{Frequency::mhz(1000)}};
  std::vector<Serving*> servers;
  for (std::size_t i = 0; i < crowd.servers; ++i) {
    const auto clients = static_cast<std::size_t>(std::ranges::count(crowd.server_of, i));
    servers.push_back(&graph.add<Serving>("the server " + std::to_string(i), clocked, clients, in_turn));
  }
  std::vector<Scope> open;
  open.reserve(scopes.size());
  for (const std::string& scope : scopes) open.push_back(graph.scope(scope));
  std::vector<std::size_t> next(crowd.servers);
  for (std::size_t i = 0; i < crowd.names.size(); ++i) {
    auto& client = graph.add<Asking>(crowd.names[i], clocked);
    client.number = static_cast<int>(i);
    client.at = crowd.times[i];
    const std::size_t server = crowd.server_of[i];
    graph.connect(client.out, servers[server]->in[next[server]++], {.depth = 8});
  }
  while (!open.empty()) open.pop_back();
  graph.run();
  std::vector<std::vector<int>> served;
  served.reserve(servers.size());
  for (const Serving* server : servers) served.push_back(server->served);
  return served;
}

TEST(Scope, ChangesNoTieBetweenItsClients) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Crowd crowd = a_crowd(dice);
    std::vector<std::string> scopes;
    for (int depth = dice.number(1, 3); depth > 0; --depth) scopes.push_back(a_name(dice));
    for (const bool in_turn : {false, true})
      EXPECT_EQ(serve(crowd, in_turn, scopes), serve(crowd, in_turn, {}))
          << "seed " << seed << (in_turn ? ", in turn" : ", first come");
  }
}

TEST(Scope, PutsItsClientsWhereItStandsInNaturalOrder) {
  Graph graph;
  const ActorOptions clocked{.clock = Clock{Frequency::mhz(1000)}};
  auto& server = graph.add<Serving>("server", clocked, 4U, false);
  std::size_t port = 0;
  for (const int board : {10, 2}) {
    const Scope scope = graph.scope("board " + std::to_string(board));
    for (const int client : {10, 9}) {
      auto& added = graph.add<Asking>("client " + std::to_string(client), clocked);
      added.number = 100 * board + client;
      added.at = {3};
      graph.connect(added.out, server.in[port++]);
    }
  }
  graph.run();
  EXPECT_EQ(server.served, (std::vector{209, 210, 1009, 1010}));
}

}  // namespace
}  // namespace isthmus
