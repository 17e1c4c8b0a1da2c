#include "native/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>

#include "isthmus/base/cores.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/one_line.hpp"
#include "isthmus/native.hpp"

namespace isthmus::native {
namespace {

using Actors = std::vector<std::unique_ptr<engine::GraphActor>>;

void place_one(std::string_view text, std::map<std::string, int>& placement) {
  const std::size_t at = text.rfind('=');
  const std::string_view number = at == std::string_view::npos ? "" : text.substr(at + 1);
  int worker = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), worker);
  if (at == 0 || number.empty() || error != std::errc() || end != number.data() + number.size())
    throw Error(fmt::format("--map: expected ACTOR=WORKER, as in 'producer=0', got '{}'", one_line(text)));
  placement[std::string(text.substr(0, at))] = worker;
}

}  // namespace

std::vector<int> usable_cores() {
  const std::vector<int> mine = allowed_units();
  std::vector<int> cores;
  for (const CoreUnits& core : Cores::here().all()) {
    const auto first = std::ranges::find_first_of(core, mine);
    if (first != core.end()) cores.push_back(*first);
  }
  if (cores.empty()) throw Error("native: hwloc finds no core that this process may use");
  return cores;
}

std::string processor() {
  const std::string name = Cores::here().processor();
  return name.empty() ? "this machine's processor" : name;
}

void pin_to(int core) {
  bind_thread({core});
}

std::map<std::string, int> parse_placement(const std::vector<std::string>& texts) {
  std::map<std::string, int> placement;
  for (std::string_view rest : texts)
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      place_one(rest.substr(0, comma), placement);
      more = comma != std::string_view::npos;
      if (more) rest.remove_prefix(comma + 1);
    }
  return placement;
}

std::vector<int> along_channels(const Actors& actors) {
  std::vector<int> order;
  std::vector<bool> met(actors.size(), false);
  std::vector<const engine::Actor*> next;  // actors of the chain that is followed; the first is at the end
  const auto visit = [&](const engine::Actor& first) {
    for (next.push_back(&first); !next.empty();) {
      const engine::Actor& actor = *next.back();
      next.pop_back();
      if (met[static_cast<std::size_t>(actor.index)]) continue;
      met[static_cast<std::size_t>(actor.index)] = true;
      order.push_back(actor.index);
      for (const auto* channel : actor.outputs | std::views::reverse) next.push_back(channel->reader);
    }
  };
  for (const auto& actor : actors)
    if (actor->inputs.empty()) visit(*actor);
  for (const auto& actor : actors) visit(*actor);  // the rest stand on loops
  return order;
}

std::vector<int> given(const Actors& actors, int workers, const std::map<std::string, int>& placement) {
  std::vector<std::string> names;
  for (const auto& actor : actors) names.push_back(actor->name);
  std::vector<int> worker_of(actors.size(), -1);
  // The name of a scope sorts before those of its actors, which may have workers of their own.
  for (const auto& [name, worker] : placement) {
    bool known = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name && !names[i].starts_with(name + "/")) continue;
      known = true;
      worker_of[i] = worker;
    }
    if (!known) throw Error(unknown_name("actor", name, names));
    if (worker < 0 || worker >= workers)
      throw Error(fmt::format("worker {} of actor '{}': expected 0..{}", worker, name, workers - 1));
  }
  return worker_of;
}

std::vector<int> place(const Actors& actors, int workers, const std::vector<int>& given) {
  std::vector<int> worker_of = given;
  std::vector<int> free;
  for (const int index : along_channels(actors))
    if (given[static_cast<std::size_t>(index)] < 0) free.push_back(index);
  for (std::size_t i = 0; i < free.size(); ++i)
    worker_of[static_cast<std::size_t>(free[i])] =
        static_cast<int>(i * static_cast<std::size_t>(workers) / free.size());
  return worker_of;
}

}  // namespace isthmus::native
