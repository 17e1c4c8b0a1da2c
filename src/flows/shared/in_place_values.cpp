#include "flows/shared/in_place_values.hpp"

#include <algorithm>
#include <cstring>
#include <variant>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

using Content = std::span<std::byte>;

/// The buffers of a message that is computed.
struct MessageBuffers {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> outputs;
  std::vector<std::vector<std::byte>> scratch;

  Content operator()(InputBuffer at) { return inputs.at(at.index); }
  Content operator()(OutputBuffer at) { return outputs.at(at.index); }
  Content operator()(ScratchBuffer at) { return scratch.at(at.index); }
  template <class Other>
  Content operator()(const Other& /*argument*/) {
    throw Error("datapath: expected a buffer of a message or of scratch");
  }
};

std::vector<std::vector<std::byte>> buffers(const std::vector<std::size_t>& sizes, std::size_t whole) {
  std::vector<std::vector<std::byte>> made;
  for (const std::size_t size : sizes.empty() ? std::vector{whole} : sizes) made.emplace_back(size);
  return made;
}

class Computation {
 public:
  explicit Computation(const Job& job)
      : kernel_(device_kernel_of(job.application)),
        path_(job.application.extras.datapath()),
        held_{.inputs = buffers(kernel_.inputs, job.application.input),
              .outputs = buffers(kernel_.outputs, job.application.output),
              .scratch = buffers(kernel_.scratch, 0)} {}

  void message(std::span<const std::byte> input, std::span<std::byte> output) {
    for (auto& buffer : held_.inputs) {
      std::ranges::copy(input.first(buffer.size()), buffer.begin());
      input = input.subspan(buffer.size());
    }
    launch(kernel_.arguments);
    for (const auto& arguments : kernel_.further) launch(arguments);
    for (const auto& buffer : held_.outputs) {
      std::ranges::copy(buffer, output.begin());
      output = output.subspan(buffer.size());
    }
  }

 private:
  using Arguments = std::vector<KernelArgument>;

  Content bytes_of(const Arguments& arguments, const offload::Region& region) {
    return std::visit(held_, arguments.at(region.argument)).subspan(region.offset, region.bytes);
  }

  void launch(const Arguments& arguments) {
    Content result = bytes_of(arguments, path_->result());
    path_->begin();
    std::vector<Content> regions(path_->ports());
    for (std::uint64_t number = 0; number < path_->regions(); ++number) {
      stop_if_interrupted();
      for (std::size_t port = 0; port < regions.size(); ++port)
        regions[port] = bytes_of(arguments, path_->region(port, number));
      take(regions);
      give(result);
    }
    path_->finish();
    give(result);
  }

  void take(const std::vector<Content>& regions) {
    for (std::size_t at = 0; at < regions.front().size(); at += kWordBytes)
      for (std::size_t port = 0; port < regions.size(); ++port) {
        Word word;
        std::memcpy(word.bytes.data(), regions[port].data() + at, kWordBytes);
        path_->take(port, word);
      }
  }

  void give(Content& result) {
    for (Word word; path_->give(word); result = result.subspan(kWordBytes))
      std::memcpy(result.data(), word.bytes.data(), kWordBytes);
  }

  const DeviceKernel& kernel_;
  std::unique_ptr<offload::Datapath> path_;
  MessageBuffers held_;
};

}  // namespace

void compute_in_place(const Job& job, Exchange& messages) {
  Computation computation(job);
  for (int message = 0; message < job.count; ++message) {
    computation.message(messages.input(message), messages.output(message));
    messages.finished(message);
  }
}

}  // namespace isthmus::program
