#include "stall.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "ending.hpp"

namespace isthmus::engine {
namespace {

bool still_steps(const Actor& actor) {
  const bool asleep = actor.wait == Wait::sleep && actor.known_wake == kNever;
  return actor.wait != Wait::finished && !actor.failed && !asleep && !blocked_for_good(actor);
}

std::string who_still_steps(const std::vector<Actor*>& actors, std::chrono::nanoseconds since) {
  std::vector<std::string> names;
  std::int64_t latest = 0;
  for (const Actor* actor : actors) {
    if (!still_steps(*actor)) continue;
    names.push_back(actor->name);
    latest = std::max(latest, actor->grid.edge(actor->now));
  }
  std::ranges::sort(names, natural_less);
  const auto more = and_more(names.size());
  names.resize(std::min(names.size(), kNamed));
  return fmt::format("no token has moved for {:.0f} s of wall time (now at {} of the model's); still stepping: {}{}",
                     std::chrono::duration<double>(since).count(), to_string(Time::fs(latest)), fmt::join(names, ", "),
                     more);
}

}  // namespace

void Stall::look(const std::vector<Actor*>& actors, const std::vector<Channel*>& channels) {
  std::uint64_t moved = 0;
  for (const Channel* channel : channels) moved += channel->pushed() + channel->popped();
  const auto now = Clock::now();
  if (!looked_ || moved != moved_) {
    looked_ = true;
    told_ = false;
    moved_ = moved;
    since_ = now;
  } else if (!told_ && now - since_ >= patience_) {
    told_ = true;
    tell_(who_still_steps(actors, now - since_));
  }
}

}  // namespace isthmus::engine

namespace isthmus {

void tell_on_stderr(const std::string& line) {
  fmt::print(stderr, "isthmus: {}\n", line);
}

}  // namespace isthmus
