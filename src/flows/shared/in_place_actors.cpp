#include "flows/shared/in_place_actors.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

using offload::Region;

const std::vector<KernelArgument>& arguments_of(const DeviceKernel& kernel, int launch) {
  return launch == 0 ? kernel.arguments : kernel.further[static_cast<std::size_t>(launch) - 1];
}

/// The address behind an argument.
struct ArgumentAddress {
  const InPlaceWork& work;
  const MessagePlaces& message;

  std::uint64_t operator()(InputBuffer at) const { return message.inputs.at(at.index); }
  std::uint64_t operator()(OutputBuffer at) const { return message.outputs.at(at.index); }
  std::uint64_t operator()(ScratchBuffer at) const { return work.scratch.at(at.index); }
  template <class Other>
  std::uint64_t operator()(const Other& /*argument*/) const {
    throw Error("region of a datapath: expected a buffer of a message or of scratch");
  }
};

}  // namespace

std::uint64_t InPlaceWork::address(int launch, const Region& region) const {
  const MessagePlaces& message = places[static_cast<std::size_t>(launch / launches)];
  const auto& arguments = arguments_of(device_kernel_of(job.application), launch % launches);
  return std::visit(ArgumentAddress{*this, message}, arguments.at(region.argument)) + region.offset;
}

ReadPlan regions_of(const InPlaceWork& work, std::size_t port) {
  std::uint64_t words = 0;
  for (std::uint64_t each = 0; each < work.regions; ++each) words += work.path.region(port, each).bytes / kWordBytes;
  const auto stretch = [&work, port](int launch, std::uint64_t number) {
    const Region region = work.path.region(port, number);
    return LinePieces{.from = work.address(launch, region), .bytes = region.bytes, .line = work.line};
  };
  return {.launches = work.all_launches(),
          .each = work.regions,
          .words = words,
          .channel = work.channel,
          .stretch = stretch};
}

void DatapathActor::step() {
  if (begins) path->begin();
  begins = false;
  bool last = false;
  for (std::size_t port = 0; port < words.size(); ++port) {
    const StreamWord word = words[port].read();
    owed += path->take(port, word.data);
    last = word.last;
  }
  --owed;  // this step takes one
  const Time from = timer.now();
  for (Word word; path->give(word);) out.push({.data = word, .last = false});
  if (last) return finish(from);
  if (owed > 0) work(from);
}

/// Words leave meanwhile.
void DatapathActor::work(Time from) {
  const Tick begin = clock.first_at_or_after(from.femtoseconds());
  timer.wait_until(Time::fs(clock.edge(begin + std::exchange(owed, 0))));
}

void DatapathActor::finish(Time from) {
  owed = std::max<std::int64_t>(owed, 0) + path->finish();
  work(from);
  begins = true;
  StreamWord held{.data = {}, .last = false};
  if (!path->give(held.data)) throw Error("datapath: expected the last word of its result at the end, got none");
  for (Word next; path->give(next); held.data = next) out.push(held);
  held.last = true;
  out.push(held);
}

WritePlan results_of(const InPlaceWork& work) {
  constexpr std::uint64_t kAny = std::uint64_t{1} << 62U;
  const auto place = [&work](int launch) {
    return LinePieces{.from = work.address(launch, work.path.result()), .bytes = kAny, .line = work.line};
  };
  return {.outputs = work.all_launches(),
          .until_last = true,
          .status = work.status,
          .line = work.line,
          .channel = work.channel,
          .place = place};
}

}  // namespace isthmus::program
