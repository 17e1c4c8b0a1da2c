#include "fabric/dram/commands.hpp"

#include <algorithm>
#include <span>

namespace isthmus::fabric::dram {

Commands::Commands(const DramSpec& spec, DramObserver* observer)
    : timing_(spec),
      map_(spec),
      rank_(timing_),
      banks_(spec.bank_groups * spec.banks),
      next_refresh_(timing_.REFI),
      observer_(observer) {}

Cycle Commands::issue(DramCommandKind kind, Cycle from, const Place& place) {
  const Cycle at = bus_.take(from);
  if (observer_ != nullptr)
    observer_->issued(
        {.kind = kind, .cycle = at, .bank_group = place.bank_group, .bank = place.bank, .row = place.row});
  return at;
}

Cycle Commands::access(Direction direction, std::uint64_t first, std::int64_t count, Cycle entered, Cycle start) {
  const bool reads = direction == Direction::read;
  const Cycle ahead = std::max(entered, start - CommandBus::kReach);
  Cycle at = start;
  for (std::int64_t i = 0; i < count; ++i) {
    const Place place = map_.place(first + static_cast<std::uint64_t>(i));
    Bank& bank = bank_[static_cast<std::size_t>(place.bank)];
    if (!bank.holds(place.row)) open_row(place, ahead);
    const Cycle bus_free = reads ? rank_.read_from(place.bank_group) : rank_.write_from(place.bank_group);
    at = issue(reads ? DramCommandKind::read : DramCommandKind::write, std::max({at, bank.column_from(), bus_free}),
               place);
    if (reads) {
      rank_.read(place.bank_group, at);
      bank.read(at, timing_);
    } else {
      rank_.written(place.bank_group, at);
      bank.written(at, timing_);
    }
  }
  return at;
}

void Commands::open_row(const Place& place, Cycle from) {
  Bank& bank = bank_[static_cast<std::size_t>(place.bank)];
  if (bank.open())
    bank.precharged(issue(DramCommandKind::precharge, std::max(from, bank.precharge_from()), place), timing_);
  const Cycle allowed = std::max({from, bank.activate_from(), rank_.activate_from(place.bank_group)});
  const Cycle at = issue(DramCommandKind::activate, allowed, place);
  rank_.activated(place.bank_group, at);
  bank.activated(place.row, at, timing_);
}

void Commands::refresh(Cycle now) {
  const std::span banks(bank_.data(), static_cast<std::size_t>(banks_));
  for (; next_refresh_ <= now; next_refresh_ += timing_.REFI) {
    const Cycle at = issue(DramCommandKind::refresh, close_all(next_refresh_), {});
    for (Bank& bank : banks) bank.refreshed(at, timing_);
  }
}

/// Closes every bank; returns the first cycle at which all are ready for a refresh.
Cycle Commands::close_all(Cycle from) {
  const std::span banks(bank_.data(), static_cast<std::size_t>(banks_));
  if (std::ranges::any_of(banks, &Bank::open)) {
    Cycle allowed = from;
    for (const Bank& bank : banks)
      if (bank.open()) allowed = std::max(allowed, bank.precharge_from());
    const Cycle at = issue(DramCommandKind::precharge_all, allowed, {});
    for (Bank& bank : banks)
      if (bank.open()) bank.precharged(at, timing_);
  }
  for (const Bank& bank : banks) from = std::max(from, bank.activate_from());
  return from;
}

}  // namespace isthmus::fabric::dram
