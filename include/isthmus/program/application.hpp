#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "isthmus/program/difference.hpp"
#include "isthmus/program/kernel.hpp"

namespace isthmus::program {

/// An application as bytes: what every back end runs.
struct ByteApplication {
  std::string name;
  std::string summary;
  std::size_t input = 0;   ///< bytes of a message to the kernel, a multiple of 64
  std::size_t output = 0;  ///< bytes of the message that it gives back, likewise
  std::function<void(Kernel&)> kernel;
  std::function<void(int, std::span<std::byte>)> fill;
  std::function<void(std::span<const std::byte>, std::span<std::byte>)> reference;
  std::size_t element = 1;         ///< bytes of a value of the output
  ElementText text = hexadecimal;  ///< writes one
};

/// A streaming application: the host fills messages of Input values, a kernel of actors turns each into one message of
/// Output values, and what comes back is compared with the reference.
///
///     const Application<float, float> scale{.name = "scale", .summary = "each number doubled",
///                                           .input = 1024, .output = 1024, ...};
///
/// A message fits in a buffer of the link (stream.buffer_size, 4 MiB on the boards that come with Isthmus) and is a
/// multiple of 64 bytes long, since the link moves words of 512 bit.
template <class Input, class Output>
struct Application {
  static_assert(std::is_trivially_copyable_v<Input> && std::is_trivially_copyable_v<Output>,
                "messages travel as bytes: give the application trivially copyable values");

  std::string name;
  std::string summary;     ///< one line for people
  std::size_t input = 0;   ///< values of a message to the kernel
  std::size_t output = 0;  ///< values of the message that it gives back
  /// Adds the kernel's actors and connects them. Called once a run, or more often.
  std::function<void(Kernel&)> kernel;
  /// Writes input message `number`, 0 and up; the same number gives the same values each time.
  std::function<void(int number, std::span<Input> message)> fill;
  /// What the kernel should give back for an input message, computed another way.
  std::function<void(std::span<const Input> input, std::span<Output> output)> reference;

  ByteApplication bytes() const {
    return {.name = name,
            .summary = summary,
            .input = input * sizeof(Input),
            .output = output * sizeof(Output),
            .kernel = kernel,
            .fill = [fill = fill](int number, std::span<std::byte> message) { fill(number, as<Input>(message)); },
            .reference = [reference = reference](
                             std::span<const std::byte> in,
                             std::span<std::byte> out) { reference(as<const Input>(in), as<Output>(out)); },
            .element = sizeof(Output),
            .text =
                [](std::span<const std::byte> element) {
                  Output value;
                  std::memcpy(&value, element.data(), sizeof(value));
                  return text_of(value);
                }};
  }

 private:
  template <class T, class Byte>
  static std::span<T> as(std::span<Byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

}  // namespace isthmus::program
