#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// Kinds of parts that something needs of a board.
using Needs = std::span<const std::string_view>;

bool has_all(const Description& board, Needs kinds);

/// Throws Error "FILE: WHAT: expected a board with dma and dram, got one of link.pcie, kernel" where it lacks any.
void require(const Description& board, std::string_view what, Needs kinds);

/// Returns a part that the caller has already required; throws std::logic_error if it is absent.
template <class T>
const T& needed(const std::optional<T>& part) {
  if (!part) throw std::logic_error("a part that the board has not");
  return *part;
}

}  // namespace isthmus::platform
