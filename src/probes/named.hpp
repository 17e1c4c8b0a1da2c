#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::probes {

/// The values of these names, each a value's place among `names`. Throws Error "OPTION: ..." for one that is none of
/// those allowed.
template <class Value>
std::vector<Value> named(const std::vector<std::string>& words, std::span<const Value> allowed,
                         std::span<const std::string_view> names, const std::string& option, const char* what) {
  std::vector<std::string> known;
  known.reserve(allowed.size());
  for (const Value value : allowed) known.emplace_back(names[static_cast<std::size_t>(value)]);
  std::vector<Value> values;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(known, word);
    if (found == known.end()) throw Error(option + ": " + unknown_name(what, word, known));
    values.push_back(allowed[static_cast<std::size_t>(found - known.begin())]);
  }
  return values;
}

}  // namespace isthmus::probes
