#pragma once

#include "isthmus/engine/port.hpp"
#include "isthmus/fabric/registers.hpp"
#include "isthmus/shared/soc/machine.hpp"

namespace isthmus::soc {

/// The registers of an application's own kernel: it starts the kernel for each pass, and tells the core of the end.
class KernelStarter {
 public:
  In<const Pass*> starts{"starts"};
  Out<bool> ended{"ended"};
  Out<fabric::KernelStore> stores{"stores"};
  In<fabric::KernelDone> finished{"finished"};

  void step();
  bool done() const { return over_; }

 private:
  bool over_ = false;
};

}  // namespace isthmus::soc
