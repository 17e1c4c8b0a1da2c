#include "flows/stream/configurer.hpp"

namespace isthmus::program {
namespace {

/// A kernel that has not answered by then never will.
constexpr Time kPatience = Time::ms(2000);

}  // namespace

void configure(HostControl& control, const Control& sent) {
  for (const std::uint32_t message : sent.messages) control.send(message);
  if (sent.ready) control.receive(*sent.ready, kPatience);
}

void Configurer::step() {
  configure(control, sent_);
  configured.push({});
  done_ = true;
}

}  // namespace isthmus::program
