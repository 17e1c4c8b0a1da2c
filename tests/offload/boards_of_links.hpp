#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isthmus/offload/model.hpp"

/// Boards of several links, and transfers over them.
namespace isthmus::offload::over_links {

using Overrides = std::vector<std::string>;

/// Amazon's F1 with so many of its links, link.vh0 and so on.
platform::Description board_of_links(int links, const Overrides& overrides = {});

/// The same without a DMA engine.
platform::Description board_of_links_alone(int links);

/// What the payload of a link can be at most in a second.
double payload_rate(const platform::Description& board, int link);

/// Transfers that one host thread enqueues on one queue: their sizes; each goes to the device, then back.
struct QueueOfTransfers {
  std::size_t thread;
  std::vector<std::int64_t> sizes;
  bool pinned;
  bool back;
};

struct Transferred {
  Time elapsed{};        ///< until the last thread has seen the end of its last
  double to_device = 0;  ///< bytes
  double to_host = 0;
  bool right = true;
};

/// Enqueues all of them at once and waits for them.
Transferred transfer(ModelDevice& device, const std::vector<QueueOfTransfers>& queues);

}  // namespace isthmus::offload::over_links
