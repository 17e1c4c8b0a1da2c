#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isthmus/application/device_kernel.hpp"
#include "isthmus/application/device_memory.hpp"
#include "isthmus/application/difference.hpp"
#include "isthmus/application/host_memory.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/application/parameter.hpp"
#include "isthmus/application/together.hpp"
#include "isthmus/offload/datapath.hpp"

namespace isthmus::program {

/// A message that the host sends to the kernel before the first word.
struct Control {
  std::vector<std::uint32_t> messages{};
  std::optional<std::uint32_t> ready{};  ///< tag of the kernel's answer that the host waits for
};

/// A run that is about to begin.
struct Opening {
  int count;                                       ///< number of messages
  std::uint64_t seed;                              ///< seed of random numbers
  std::function<void(const std::string&)> note{};  ///< tells the user something
};

/// A number that goes by a name.
using Fact = std::pair<std::string, std::int64_t>;

/// The optional parts of an application, beyond its kernel and messages.
struct Extras {
  std::string counted = "messages";  ///< plural of what a message is to its user; ends in s, such as "images"
  std::vector<Fact> facts{};         ///< facts about the application that rows hold
  int count = 200;                   ///< default of --count, in units of `counted`
  int in_message = 1;                ///< units of `counted` in a message
  /// Called before the first message of each run.
  std::function<void(const Opening&)> open{};
  Control control{};
  /// Describes for people the place of a value of the output, such as its column and row.
  std::function<std::vector<Fact>(std::size_t value)> place{};
  std::optional<DeviceKernel> device{};  ///< OpenCL kernel and its twin, for the flows offload and overlap
  /// Host threads that share the device in the flow offload, which take the messages in turn; each has buffers, a queue
  /// and results of its own (choi2019 5.3).
  int host_threads = 1;
  std::optional<MemoryImage> memory{};  ///< data that the application keeps in the device's memory
  std::optional<HostImage> host{};      ///< data that the kernel of a stream reaches in the host's memory
  /// Numbers that rows of a run hold beside its rate, once it is over; "speedup.mean" is the mean of a record speedup.
  std::function<std::vector<std::pair<std::string, double>>()> told{};
  /// Is given each output, as long as it is, once it was found right, in the order of the messages.
  std::function<void(std::span<const std::byte>)> received{};
  /// A run is over, and all of its outputs were right.
  std::function<void()> finished{};
  std::optional<Packets> packets{};  ///< packets in place of messages, if the kernel is tied to a network
  /// Messages lie on a drive, one behind the other, from which the kernel's words come (Kernel::from_storage) or the
  /// host reads them: what `fill` writes is what lies there.
  bool from_storage = false;
  /// The number of bytes of the output of an input, if outputs may end before ByteApplication::output: a multiple of
  /// 64. Bytes that are not sent are compared as zeros.
  std::function<std::size_t(std::span<const std::byte> input)> output_bytes{};
  /// Bytes of one of what is counted, where messages hold more than that.
  std::optional<std::size_t> payload{};
  std::vector<std::string_view> parts{};  ///< kinds of parts that the kernels need, besides those of the flow
  /// The output of a message depends on no other message, and the kernel writes nothing but outputs: on threads several
  /// copies of it share the messages (Kernel::unit).
  bool independent = false;
  /// Each message takes the kernel as long as any other, and its output depends on no other message: a long stream may
  /// be told from short ones (docs/grain.md).
  bool steady = false;
  /// The circuit for the flow shared, where messages lie in memory that it may read as often as it likes. The buffers
  /// are the arguments of `device`, of which it needs that too.
  offload::DatapathMaker datapath{};
  /// The work of cores and circuit on shared memory, in place of kernel and datapath: for the flow shared.
  TogetherRun together{};
  /// The time that a host thread computes for each message before it sends it; only a model spends it.
  Time host_work{};
  /// The buffers of a processor's memory that ports of the FPGA move: `together` is for boards with such ports then.
  std::vector<soc::Buffer> buffers{};
  /// Set if messages follow each other, so that the FPGA may take an earlier one than the core has just made.
  bool delays = false;
  /// Set if each launch of a message is an iteration; rows then have the times of their ends.
  bool iterates = false;
  /// Tells whether an output may differ from the reference so far, both given as the bytes of one element; by default
  /// in nothing.
  ElementsAgree agree{};
};

/// An application as bytes: what every back end runs.
struct ByteApplication {
  std::string name;
  std::string summary;
  std::size_t input = 0;   ///< bytes of a message to the kernel
  std::size_t output = 0;  ///< bytes of the message that it gives back
  std::function<void(Kernel&)> kernel{};
  std::function<void(int, std::span<std::byte>)> fill{};
  std::function<void(std::span<const std::byte>, std::span<std::byte>)> reference{};
  std::size_t element = 1;         ///< bytes of a value of the output
  ElementText text = hexadecimal;  ///< writes an element as text
  Extras extras{};
};

/// An application whose parameters a user may choose.
struct Maker {
  std::vector<Parameter> parameters{};
  /// The application with these values, each of which lies in its range. It opens nothing yet but files that they name:
  /// see Extras::open.
  std::function<ByteApplication(const Values&)> make;
};

/// Application is what the host sends, what a kernel of actors makes of it, and what is right: the host fills messages
/// of Input values, the kernel turns each into one message of Output values, which is compared with the reference.
///
///     struct Inverter {
///       isthmus::In<isthmus::StreamWord> in{"in"};
///       isthmus::Out<isthmus::StreamWord> out{"out"};
///       void step() {
///         isthmus::StreamWord word = in.read();
///         for (std::byte& byte : word.data.bytes) byte = ~byte;
///         out.push(word);
///       }
///     };
///     using Byte = std::uint8_t;
///     const isthmus::program::Application<Byte, Byte> invert{
///         .name = "invert",
///         .summary = "each bit of each message inverted",
///         .input = 4096,
///         .output = 4096,
///         .kernel =
///             [](isthmus::program::Kernel& kernel) {
///               auto& inverter = kernel.add<Inverter>("inverter");
///               kernel.from_host(inverter.in);
///               kernel.to_host(inverter.out);
///             },
///         .fill = [](int number, std::span<Byte> message) { std::ranges::fill(message, static_cast<Byte>(number)); },
///         .reference =
///             [](std::span<const Byte> in, std::span<Byte> out) {
///               std::ranges::transform(in, out.begin(), [](Byte byte) { return static_cast<Byte>(255 - byte); });
///             }};
///
/// `isthmus::program::main_of(argc, argv, invert)` is the body of its main(). Mistakes that are told:
/// - Input or Output is not trivially copyable: the compiler says that messages travel as bytes.
/// - A message to be streamed is no multiple of 64 bytes: "expected messages of a multiple of 64 bytes, got ...".
/// - A flow that it has nothing for: "expected a kernel for devices, got none".
/// - An output differs from the reference: the message, the place and both values; exit code 1.
/// - The kernel never closes a message: "has not come back from the kernel ...; `last` closes a message".
///
/// To be streamed, a message is a multiple of 64 bytes long, since the link moves words of 512 bit. One that is larger
/// than a buffer of the link (stream.buffer_size, 4 MiB on the boards that come with Isthmus) takes several.
template <class Input, class Output>
struct Application {
  static_assert(std::is_trivially_copyable_v<Input> && std::is_trivially_copyable_v<Output>,
                "messages travel as bytes: give the application trivially copyable values");

  std::string name;
  std::string summary;     ///< summary in one line, for people
  std::size_t input = 0;   ///< values of a message to the kernel
  std::size_t output = 0;  ///< values of the message that it gives back
  /// Adds the kernel's actors and connects them. Called once a run, or more often.
  std::function<void(Kernel&)> kernel{};
  /// Writes input message `number`, 0 and up; the same number gives the same values each time. Several threads call it.
  std::function<void(int number, std::span<Input> message)> fill;
  /// The reference: the kernel's expected output for an input message, computed another way.
  std::function<void(std::span<const Input> input, std::span<Output> output)> reference;
  Extras extras{};

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
                },
            .extras = extras};
  }

 private:
  template <class T, class Byte>
  static std::span<T> as(std::span<Byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

}  // namespace isthmus::program
