#include "apps/parts.hpp"

#include <optional>

namespace isthmus::apps {
namespace {

/// The round trip is the mean of all that were taken.
void add(platform::Window& sum, const platform::Window& more) {
  const std::int64_t taken = sum.taken + more.taken;
  if (taken == 0) return;
  const double trips = sum.round_trip.seconds() * static_cast<double>(sum.taken) +
                       more.round_trip.seconds() * static_cast<double>(more.taken);
  sum.round_trip = Time::seconds(trips / static_cast<double>(taken));
  sum.taken = taken;
}

}  // namespace

void add_parts(std::vector<platform::Part>& sum, const std::vector<platform::Part>& more) {
  if (sum.empty()) {
    sum = more;
    return;
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum[i].busy += more[i].busy;
    sum[i].starved += more[i].starved;
    sum[i].blocked += more[i].blocked;
    sum[i].lifetime += more[i].lifetime;
    std::optional<platform::Window>& window = sum[i].window;
    const std::optional<platform::Window>& other = more[i].window;
    if (window && other) add(*window, *other);
  }
}

}  // namespace isthmus::apps
