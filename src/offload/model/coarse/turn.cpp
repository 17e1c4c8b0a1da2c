#include "offload/model/coarse/turn.hpp"

namespace isthmus::offload::model {

void Turn::take(const TurnCall& call) {
  calls[0].push(call);
  for (Time left = replies[0].read().left; left > Time{}; left = replies[0].read().left) {
    timer_.wait(left);
    calls[0].push({.kind = TurnCall::Kind::left, .command = nullptr, .bytes = 0});
  }
}

}  // namespace isthmus::offload::model
