#pragma once

#include <stdexcept>

namespace isthmus {

/// A person's mistake or a refusal of the machine, in one line that names the file, key or argument and what was
/// expected. Tools print it as `error: ...` and leave with exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace isthmus
