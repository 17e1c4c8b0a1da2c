#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace isthmus {

/// Expects that none of N clients waits for more than N - 1 grants, as long as it asks.
inline void expect_fair(const std::vector<std::uint32_t>& grants, std::uint32_t clients, int requests) {
  std::map<std::uint32_t, int> left;
  std::map<std::uint32_t, std::uint32_t> waited;
  for (std::uint32_t client = 0; client < clients; ++client) left[client] = requests;
  for (const std::uint32_t granted : grants) {
    for (auto& [client, requested] : left) {
      if (client == granted || requested == 0) continue;
      EXPECT_LE(++waited[client], clients - 1);
    }
    waited[granted] = 0;
    --left[granted];
  }
  for (const auto& [client, requested] : left) EXPECT_EQ(requested, 0) << client;
}

}  // namespace isthmus
