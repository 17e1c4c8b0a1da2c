#pragma once

namespace isthmus {

/// The version of this software, such as "0.1.0": every record carries it.
const char* version();

}  // namespace isthmus
