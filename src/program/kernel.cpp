#include "isthmus/program/kernel.hpp"

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// Control messages that wait, and answers: registers, read by a host that asks for them one by one.
constexpr int kMessages = 64;
constexpr int kAnswers = 16;

}  // namespace

void Kernel::control(In<std::uint32_t>& in, Out<ControlMessage>& out) {
  if (ends_.control == nullptr || ends_.status == nullptr)
    throw Error("a kernel takes control messages: expected some of its application, got none");
  graph_.connect(*ends_.control, in, fifo(kMessages));
  graph_.connect(out, *ends_.status, fifo(kAnswers));
}

}  // namespace isthmus::program
