#include "flows/shared/in_place_actors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

using offload::Region;

// A circuit is given up that takes longer for a launch than a thousand cycles a word at 100 MHz.
constexpr Time kLeastWait = Time::us(5000);
constexpr Time kWaitOfAWord = Time::us(10);

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

void DrivingCore::load() {
  if (work.messages == nullptr) return;
  auto message = work.messages->input(next);
  const MessagePlaces& to = work.places[static_cast<std::size_t>(next)];
  const auto& sizes = device_kernel_of(work.job.application).inputs;
  for (std::size_t buffer = 0; buffer < to.inputs.size(); ++buffer) {
    const std::size_t size = sizes.empty() ? message.size() : sizes[buffer];
    work.space.copy_in(to.inputs[buffer], message.first(size));
    message = message.subspan(size);
  }
}

std::uint64_t DrivingCore::wait_for(std::uint64_t launches) {
  std::uint64_t words = 0;
  for (std::uint64_t region = 0; region < work.regions; ++region)
    words += work.path.region(0, region).bytes / kWordBytes;
  const Time latest =
      timer.now() + kLeastWait + Time::fs(kWaitOfAWord.femtoseconds() * static_cast<std::int64_t>(words));
  for (;;) {
    stop_if_interrupted();
    const auto told = value_of<LineStatus>(read(work.status, work.line));
    if (told.complete >= launches) return told.words;
    if (timer.now() > latest)
      throw Error(fmt::format("launch {} of message {} has not ended for {} of virtual time", launches - 1, next,
                              to_string(latest)));
  }
}

void DrivingCore::read_output(std::uint64_t words) {
  const LinePieces pieces{.from = work.address((next + 1) * work.launches - 1, work.path.result()),
                          .bytes = words * kWordBytes,
                          .line = work.line};
  std::span<std::byte> output;
  if (work.messages != nullptr) output = work.messages->output(next);
  read(pieces, output);
}

void DrivingCore::step() {
  load();
  begun.push_back(timer.now());
  if (const Time host = work.job.application.extras.host_work; host > Time()) timer.wait_until(timer.now() + host);
  std::uint64_t words = 0;
  for (int launch = 0; launch < work.launches; ++launch) {
    timer.wait_until(timer.now() + work.call + work.store);
    for (auto& start : starts) start.push(next);
    words = wait_for(static_cast<std::uint64_t>(next) * static_cast<std::uint64_t>(work.launches) +
                     static_cast<std::uint64_t>(launch) + 1);
    launched.push_back(timer.now());
  }
  read_output(words);
  received.push_back(timer.now());
  if (work.messages != nullptr) work.messages->finished(next);
  ++next;
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
