#pragma once

#include "program/tool.hpp"

namespace isthmus::tools {

using isthmus::Record;
using program::fail;
using program::kAnswerIsNo;
using program::kCouldNotRun;
using program::kDone;
using program::kInterrupted;
using program::print;
using program::Progress;
using program::Request;
using program::run;

}  // namespace isthmus::tools
