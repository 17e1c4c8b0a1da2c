// A program of one's own whose messages have as many bytes as ECHO_BYTES says (4096 without it): each comes back as it
// is. With ECHO_SPINS, a file, its actor says "spins" there and never ends its first step.
#include "stream/echo.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "application/one_actor.hpp"
#include "isthmus/program.hpp"

namespace {

using Number = std::uint32_t;

struct Spinner {
  isthmus::In<isthmus::StreamWord> in{"in"};
  isthmus::Out<isthmus::StreamWord> out{"out"};
  void step() {
    in.read();
    std::ofstream(std::getenv("ECHO_SPINS")) << "spins\n";
    for (const std::atomic<bool> spins = true; spins;) {
    }
  }
};

std::size_t numbers() {
  const char* bytes = std::getenv("ECHO_BYTES");
  return (bytes == nullptr ? 4096 : std::stoul(bytes)) / sizeof(Number);
}

}  // namespace

int main(int argc, char** argv) {
  using isthmus::program::Application;
  using isthmus::program::host_to_host;
  const Application<Number, Number> echo{
      .name = "echo",
      .summary = "each message comes back",
      .input = numbers(),
      .output = numbers(),
      .kernel =
          std::getenv("ECHO_SPINS") == nullptr ? host_to_host<isthmus::Echo>("echo") : host_to_host<Spinner>("spinner"),
      .fill = [](int number, std::span<Number> message) { std::ranges::fill(message, static_cast<Number>(number)); },
      .reference = [](std::span<const Number> input,
                      std::span<Number> output) { std::ranges::copy(input, output.begin()); }};
  return isthmus::program::main_of(argc, argv, echo);
}
