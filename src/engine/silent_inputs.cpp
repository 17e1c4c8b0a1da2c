#include "isthmus/engine/detail/silent_inputs.hpp"

#include <algorithm>
#include <numeric>

namespace isthmus::engine {
namespace {

/// An array of fewer inputs is polled one by one.
constexpr std::size_t kMany = 2;
/// An input counts as silent if no token comes for at least this many ticks; after kAgain ticks all inputs are polled
/// again.
constexpr Tick kSilence = 2;
constexpr Tick kAgain = 64;

}  // namespace

SilentInputs::SilentInputs(std::byte* ports, std::size_t count, std::size_t stride)
    : ports_(ports), stride_(stride), all_(count) {
  std::iota(all_.begin(), all_.end(), 0U);
}

PortState& SilentInputs::port(std::size_t place) const {
  return *std::launder(reinterpret_cast<PortState*>(ports_ + place * stride_));  // a port begins with its state
}

std::span<const std::uint32_t> SilentInputs::poll() {
  if (all_.size() < kMany) return all_;
  Actor& actor = *port(0).actor;
  if (actor.native != nullptr || !actor.clocked) return all_;
  const Tick now = running_now;
  if (now >= before_) {
    if (polled_in_this_step()) return all_;
    look();
  }
  // If the inputs are polled again at one tick, the first failed poll takes the actor a tick on, and the inputs behind
  // it are polled then.
  const auto refused = [&](std::uint32_t place) { return port(place).last_failed_poll == now; };
  if (silent_.empty() || joint_.all == now || joint_.alone == now || std::ranges::any_of(awake_, refused)) return all_;
  joint_.all = now;
  actor.require_slow_path();
  actor.failed_polls.add({nullptr, Poll::token, now, this});
  return awake_;
}

void SilentInputs::tell(FailedPolls& failed_polls, Tick at) const {
  for (const auto place : silent_) failed_polls.add({port(place).channel, Poll::token, at});
}

/// Tells whether this step has polled the silent inputs before. Then `silent_` has to stay, because it says for which
/// inputs that failed poll stands.
bool SilentInputs::polled_in_this_step() const {
  return std::ranges::find(port(0).actor->failed_polls, this, &FailedPoll::inputs) != port(0).actor->failed_polls.end();
}

/// Finds out which inputs are silent.
void SilentInputs::look() {
  const Tick now = running_now;
  before_ = now + kAgain;
  awake_.clear();
  silent_.clear();
  for (const auto place : all_) {
    const Tick bound = silent_before(place);
    const bool silent = bound >= now + kSilence && port(place).last_failed_poll != now;
    if (silent) before_ = std::min(before_, bound);
    (silent ? silent_ : awake_).push_back(place);
    port(place).channel->joint_polls = silent ? &joint_ : nullptr;
  }
}

/// The tick before which no head of the input becomes visible, as far as is known.
Tick SilentInputs::silent_before(std::size_t place) const {
  const Channel& channel = *port(place).channel;
  if (!channel.empty()) return channel.head_visible();
  return channel.closing() ? kNever : channel.earliest_token;
}

void spell_out(FailedPolls& failed_polls) {
  const auto one = [](const FailedPoll& poll) { return poll.inputs == nullptr; };
  if (std::ranges::all_of(failed_polls, one)) return;
  const auto together = std::ranges::stable_partition(failed_polls, one);
  const std::vector<FailedPoll> several(together.begin(), together.end());
  failed_polls.erase_from(together.begin());
  for (const auto& poll : several) poll.inputs->tell(failed_polls, poll.at);
}

}  // namespace isthmus::engine
