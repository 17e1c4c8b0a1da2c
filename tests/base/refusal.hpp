#pragma once

#include <string>

#include "isthmus/base/error.hpp"

namespace isthmus {

/// The text of the Error that `action` throws; "" without one.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace isthmus
