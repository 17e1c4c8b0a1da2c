#pragma once

#include "isthmus/program/application.hpp"

namespace isthmus::apps {

/// An application of which only is known what crosses, and how long its kernel takes (docs/advise.md): a description in
/// the place of a program. It moves bytes of its own, and its output is compared as any other's.
program::Maker described();

}  // namespace isthmus::apps
