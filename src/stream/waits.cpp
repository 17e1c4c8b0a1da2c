#include "waits.hpp"

#include <algorithm>

namespace isthmus {

void Waits::settle(Time time, Occupancy& occupancy) {
  std::ranges::sort(waits_, {}, &Wait::begin);
  Time covered;
  for (Wait& wait : waits_) {
    const Time begin = std::max(wait.begin, covered);
    covered = std::max(covered, std::min(wait.end, time));
    if (begin < covered) occupancy.waited(begin, covered);
    wait.begin = std::max(wait.begin, time);
  }
  std::erase_if(waits_, [](const Wait& wait) { return wait.end <= wait.begin; });
}

}  // namespace isthmus
