#include "shared/soc/kernel_starter.hpp"

namespace isthmus::soc {

void KernelStarter::step() {
  const Pass* pass = starts.read();
  if (pass == nullptr) {
    over_ = true;
    return;
  }
  for (const fabric::KernelStore& store : fabric::stores_of(pass->call)) stores.push(store);
  finished.read();
  ended.push(true);
}

}  // namespace isthmus::soc
