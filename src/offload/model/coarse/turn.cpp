#include "offload/model/coarse/turn.hpp"

namespace isthmus::offload::model {

void Turn::take(const TurnCall& call) {
  calls[0].push(call);
  timer_.wait(replies[0].read().takes);
}

}  // namespace isthmus::offload::model
