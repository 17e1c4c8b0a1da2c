#include "isthmus/apps/filter.hpp"

namespace isthmus::apps {

FilterSpec default_filter() {
  return {.coefficients = {{{16, 32, 16, 32, 64, 32, 16, 32, 16},
                            {0, -64, 0, -64, 512, -64, 0, -64, 0},
                            {-256, -128, 0, -128, 256, 128, 0, 128, 256},
                            {0, 0, 0, 0, 256, 0, 0, 0, 0}}},
          .shift = 8};
}

std::array<std::int16_t, kTaps * kChannels> by_tap(const FilterSpec& spec) {
  std::array<std::int16_t, kTaps * kChannels> table{};
  for (std::size_t tap = 0; tap < kTaps; ++tap)
    for (std::size_t channel = 0; channel < kChannels; ++channel)
      table[tap * kChannels + channel] = spec.coefficients[channel][tap];
  return table;
}

}  // namespace isthmus::apps
