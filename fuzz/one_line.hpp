#pragma once

#include <cstdlib>
#include <exception>
#include <string_view>

#include "isthmus/base/error.hpp"

namespace isthmus::fuzz {

/// Runs `read`: what it refuses it must refuse with an Error of one line; anything else is a crash.
template <class Read>
void refused_in_one_line(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    if (text.empty() || text.find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace isthmus::fuzz
