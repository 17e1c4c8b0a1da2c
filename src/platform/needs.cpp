#include "isthmus/platform/needs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus::platform {

bool has_all(const Description& board, Needs kinds) {
  return std::ranges::all_of(kinds, [&board](std::string_view kind) { return board.find(kind) != nullptr; });
}

void require(const Description& board, std::string_view what, Needs kinds) {
  std::vector<std::string_view> lacking;
  for (const std::string_view kind : kinds)
    if (board.find(kind) == nullptr && std::ranges::find(lacking, kind) == lacking.end()) lacking.push_back(kind);
  if (lacking.empty()) return;
  const std::string has = board.parts().empty() ? "one without parts" : "one of " + names_of(board.parts());
  throw Error(fmt::format("{}: {}: expected a board with {}, got {}", board.file().string(), what,
                          fmt::join(lacking, " and "), has));
}

}  // namespace isthmus::platform
