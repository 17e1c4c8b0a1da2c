#include "shared/queues/look_ahead_actors.hpp"

namespace isthmus::queues {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

enum Tag : std::uint16_t { kFetched, kMail };

/// The part of the mailbox that is read: number and address.
constexpr int kMailBytes = 16;

}  // namespace

Prefetcher::Prefetcher(const LookAheadWork& of)
    : registers(of.what.hand_over == HandOver::mmio ? 1 : 0, "registers"),
      hints(of.what.hand_over == HandOver::umsg ? 1 : 0, "hints"),
      work(of) {}

void Prefetcher::step() {
  bool moved = take_result();
  moved |= take_register();
  moved |= take_hint();
  moved |= ask();
  if (!moved) timer.wait(results, registers, hints, accesses);
}

bool Prefetcher::take_result() {
  if (under_way_ == 0) return false;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return false;
  --under_way_;
  if (result->tag == kFetched) return true;
  mail_under_way_ = false;
  heard(word_of(result->data, 0), word_of(result->data, 1));
  return true;
}

bool Prefetcher::take_register() {
  if (registers.empty()) return false;
  const Store* store = registers[0].pull_in_place();
  if (store == nullptr) return false;
  heard(store->word[0], store->word[1]);
  return true;
}

bool Prefetcher::take_hint() {
  if (hints.empty() || hints[0].pull_in_place() == nullptr) return false;
  look_ = true;
  return true;
}

void Prefetcher::heard(std::uint64_t number, std::uint64_t address) {
  if (number == heard_) return;
  heard_ = number;
  if (address == kNoMore)
    over_ = true;
  else if (address - work.data < work.what.reach)
    to_fetch_.push_back(address);
}

bool Prefetcher::ask() {
  const bool mail = has_mailbox() && !over_ && !mail_under_way_ && look_;
  if ((to_fetch_.empty() && !mail) || !accesses.room()) return false;
  ++under_way_;
  if (!to_fetch_.empty()) {
    fabric::begin_access(accesses, LineAccess::Kind::read, to_fetch_.front(), work.line, kFetched);
    to_fetch_.pop_front();
    return true;
  }
  const bool kept = work.what.hand_over != HandOver::poll_uncached;
  fabric::begin_access(accesses, kept ? LineAccess::Kind::read : LineAccess::Kind::read_once, work.mailbox, kMailBytes,
                       kMail);
  mail_under_way_ = true;
  look_ = hints.empty();
  return true;
}

}  // namespace isthmus::queues
