#pragma once

#include <functional>
#include <string>

#include "isthmus/application/application.hpp"

/// Kernels of one actor.
namespace isthmus::program {

/// It takes the host's words, and its own go there.
template <class Actor, class... Arguments>
std::function<void(Kernel&)> host_to_host(const std::string& name, const Arguments&... arguments) {
  return [=](Kernel& kernel) {
    auto& actor = kernel.add<Actor>(name, arguments...);
    kernel.from_host(actor.in);
    kernel.to_host(actor.out);
  };
}

/// It takes the packets of a network, and its own go there.
template <class Actor, class... Arguments>
std::function<void(Kernel&)> network_to_network(const std::string& name, const Arguments&... arguments) {
  return [=](Kernel& kernel) {
    auto& actor = kernel.add<Actor>(name, arguments...);
    kernel.from_network(actor.in);
    kernel.to_network(actor.out);
  };
}

}  // namespace isthmus::program
