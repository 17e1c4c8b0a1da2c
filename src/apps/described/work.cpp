#include "apps/described/work.hpp"

#include <algorithm>

#include "isthmus/base/scatter.hpp"

namespace isthmus::apps::traffic {
namespace {

/// Words that a kernel keeps in the device's memory, at most: beyond what any cache has.
constexpr std::uint64_t kMostResident = (std::uint64_t{16} << 20U) / kWordBytes;

std::uint64_t whole(std::uint64_t value, std::uint64_t of) {
  return value / of + (value % of == 0 ? 0 : 1);
}

}  // namespace

Side Side::of(std::uint64_t words, std::uint64_t bytes, std::uint64_t launches) {
  const std::uint64_t moves = whole(whole(bytes, kWordBytes), launches);
  if (words == 0) return {.words = std::min(moves, kMostResident), .moves = moves, .parts = 1, .resident = true};
  const std::uint64_t parts = moves == 0 ? 1 : std::clamp<std::uint64_t>(whole(words, moves), 1, launches);
  return {.words = words, .moves = moves, .parts = parts};
}

Side Side::evenly() const {
  Side even = *this;
  while (words % even.parts != 0) --even.parts;
  return even;
}

std::uint64_t Bursts::place(std::uint64_t index) const {
  const std::uint64_t in_part = index % part_;
  const std::uint64_t stretch = in_part / burst_;
  if (!scattered_ || stretch >= whole_) return in_part;
  return scattered(static_cast<std::uint32_t>(stretch), static_cast<std::uint32_t>(whole_)) * burst_ + in_part % burst_;
}

std::uint64_t Bursts::together(std::uint64_t index) const {
  const std::uint64_t in_part = index % part_;
  return std::min((in_part / burst_ + 1) * burst_, part_) - in_part;
}

Word made(const Word* from, std::uint64_t place) {
  Word word = from != nullptr ? *from : Word{};
  for (std::size_t i = 0; i < word.bytes.size(); ++i)
    word.bytes[i] ^= static_cast<std::byte>((place >> (8 * (i % 8))) + 0x5a + i);
  return word;
}

void reference(const Work& work, std::span<const Word> in, std::span<Word> out) {
  if (work.out.resident) return;
  const Word zero{};
  for (std::uint64_t launch = 0; launch < work.launches; ++launch) {
    const std::uint64_t to = work.out.begin(launch);
    const std::uint64_t part = work.out.end(launch) - to;
    if (part == 0) continue;
    const Bursts reads = work.reads(launch);
    const Bursts writes = work.writes(launch);
    // If a place is written more than once, the last write stays.
    const std::uint64_t first = work.out.moves > part ? work.out.moves - part : 0;
    for (std::uint64_t index = first; index < work.out.moves; ++index) {
      const std::uint64_t place = writes.place(index);
      const Word* from = work.in.resident ? &zero : &in[work.in.begin(launch) + reads.place(work.source(index))];
      out[to + place] = made(work.in.moves == 0 ? nullptr : from, place);
    }
  }
}

void Passage::begin(std::uint64_t launch) {
  taken_ = given_ = 0;
  over_ = false;
  part_ = work_->in.end(launch) - work_->in.begin(launch);
  writes_ = work_->writes(launch);
  seen_.resize(std::min(part_, work_->in.moves));
}

int Passage::take(const Word& word) {
  if (taken_ < seen_.size()) seen_[taken_] = word;
  const std::uint64_t moves = work_->in.moves;
  // A stream may bring words that the kernel does not look at.
  const auto until = [&](std::uint64_t words) {
    return static_cast<std::uint64_t>(static_cast<double>(work_->cycles) * static_cast<double>(std::min(words, moves)) /
                                      static_cast<double>(moves));
  };
  const std::uint64_t cycles = until(taken_ + 1) - until(taken_);
  ++taken_;
  return static_cast<int>(std::max<std::uint64_t>(cycles, 1));
}

bool Passage::give(Word& word) {
  if (given_ == work_->out.moves) return false;
  const std::uint64_t source = work_->source(given_);
  const bool last = given_ + 1 == work_->out.moves;
  if (!over_ && (last || source >= taken_)) return false;
  place_ = writes_.place(given_);
  // What is read again is what it was.
  word = made(work_->in.moves == 0 ? nullptr : &seen_[source % part_], place_);
  ++given_;
  return true;
}

int Passage::finish() {
  over_ = true;
  return work_->in.moves == 0 ? static_cast<int>(std::max<std::uint64_t>(work_->cycles, 1)) : 1;
}

void pass(const Work& work, std::span<const Word> in, std::span<Word> out) {
  Passage passage(work);
  for (std::uint64_t launch = 0; launch < work.launches; ++launch) {
    const Bursts reads = work.reads(launch);
    const auto give = [&] {
      for (Word word; passage.give(word);)
        if (!work.out.resident) out[work.out.begin(launch) + passage.place()] = word;
    };
    passage.begin(launch);
    for (std::uint64_t index = 0; index < work.in.moves; ++index) {
      passage.take(work.in.resident ? Word{} : in[work.in.begin(launch) + reads.place(index)]);
      give();
    }
    passage.finish();
    give();
  }
}

}  // namespace isthmus::apps::traffic
