#pragma once

#include "isthmus/base/units.hpp"
#include "program/tool.hpp"

namespace isthmus::program {

/// The stages of a run as its row tells them: of `elapsed`, or, where they are what parts of a model did, of the whole
/// run, which is `lasted`.
template <class Run>
Record stages_of_row(const Run& run) {
  const Time whole = run.lasted == Time{} ? run.elapsed : run.lasted;
  Record list = Record::array();
  for (const auto& stage : run.stages)
    list.push_back(
        {{"name", stage.name}, {"time_s", stage.time.seconds()}, {"share", stage.time.seconds() / whole.seconds()}});
  return list;
}

}  // namespace isthmus::program
