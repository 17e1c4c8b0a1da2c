#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "apps/hash_lookup/table.hpp"
#include "isthmus/stream.hpp"

/// The look-ups of stacc figure 4: one actor asks for entries, another compares what has come, and neither waits for a
/// single look-up. Look-ups end in another order than they began, so that values go back to the host in the order of
/// the keys from a window.
namespace isthmus::apps {

/// Keys, or values, of a word of the stream.
inline constexpr std::uint32_t kKeysAWord = kWordBytes / sizeof(Key);

/// Look-ups that an actor handles between two moves of tokens, where so many are at hand.
inline constexpr std::size_t kAtOnce = 32;

/// The part of an entry that a look-up needs: its first bytes.
struct EntryHead {
  Key key;
  Value value;
  std::uint64_t next;
};

/// A look-up whose entry is on its way; `number` counts look-ups from the beginning.
struct Context {
  Key key;
  std::uint32_t number;
};

/// A look-up whose entry had another key: it goes on with the next of its chain.
struct Unmatched {
  std::uint64_t entry;
  Context context;
};

/// The values of a word of keys are on their way to the host: there is room for another.
struct WordAnswered {};

/// The place of the table in memory.
struct TablePlace {
  std::uint64_t address;
  std::uint64_t buckets;
};

/// Asks memory for entries: of look-ups that go on, then of new keys, as long as the window has room (stacc: DRAM
/// reader).
struct EntryReader {
  In<StreamWord> keys{"keys"};
  In<Unmatched> unmatched{"unmatched"};
  In<WordAnswered> answered{"answered"};
  Out<DramReadReq> requests{"requests"};
  Out<Context> contexts{"contexts"};

  TablePlace table;
  std::uint32_t window;  ///< words of keys that may be under way
  std::uint32_t free;
  std::uint32_t number = 0;
  bool ended = false;

  EntryReader(const TablePlace& where, std::uint32_t words) : table(where), window(words), free(words) {}

  void step() {
    while (answered.pull()) ++free;
    while (go_on()) continue;
    while (free > 0) {
      const StreamWord* word = keys.pull_in_place();
      if (word == nullptr) {
        ended = keys.closed();
        return;
      }
      begin(word->data);
    }
  }
  bool done() const { return ended && free == window; }

 private:
  /// Tells whether there was a look-up that goes on.
  bool go_on() {
    std::array<Unmatched, kAtOnce> next;
    std::size_t count = 0;
    const bool any = pull_burst(unmatched, [&](std::span<const Unmatched> came) {
      count = std::min(came.size(), next.size());
      std::copy_n(came.begin(), count, next.begin());
      return count;
    });
    ask(std::span(next).first(count));
    return any;
  }
  void begin(const Word& word) {
    --free;
    const auto of_word = std::bit_cast<std::array<Key, kKeysAWord>>(word);
    std::array<Unmatched, kKeysAWord> first;
    for (std::size_t i = 0; i < kKeysAWord; ++i)
      first[i] = {.entry = bucket_of(of_word[i], table.buckets), .context = {.key = of_word[i], .number = number++}};
    ask(first);
  }
  void ask(std::span<const Unmatched> look_ups) {
    while (!look_ups.empty())
      push_burst(requests, contexts, [&](std::span<DramReadReq> reads, std::span<Context> kept) {
        const std::size_t count = std::min(reads.size(), look_ups.size());
        for (std::size_t i = 0; i < count; ++i) {
          reads[i] = {.num = 1, .addr = table.address + look_ups[i].entry * sizeof(TableEntry)};
          kept[i] = look_ups[i].context;
        }
        look_ups = look_ups.subspan(count);
        return count;
      });
  }
};

/// Compares the key of each entry with that of its look-up (stacc: matcher).
struct Matcher {
  static constexpr std::uint32_t kMostWords = 1024;

  In<DramReadResp> entries{"entries"};
  In<Context> contexts{"contexts"};
  Out<Unmatched> unmatched{"unmatched"};
  Out<WordAnswered> answered{"answered"};
  Out<StreamWord> values{"values"};

  std::uint32_t window;     ///< words of the window, a power of two up to kMostWords
  std::uint32_t message;    ///< words of a message
  std::uint32_t first = 0;  ///< index of the word that goes back to the host next
  std::uint32_t in_message = 0;
  std::array<std::array<Value, kKeysAWord>, kMostWords> found{};
  std::array<std::uint8_t, kMostWords> known{};  ///< known values of each word

  Matcher(std::uint32_t window_words, std::uint32_t message_words) : window(window_words), message(message_words) {}

  void step() {
    std::array<Unmatched, kAtOnce> next;
    std::size_t count = 0;
    read_burst(entries, contexts, [&](std::span<const DramReadResp> came, std::span<const Context> of) {
      const std::size_t compared = std::min(came.size(), next.size());
      for (std::size_t i = 0; i < compared; ++i) {
        EntryHead entry;
        std::memcpy(&entry, came[i].data.bytes.data(), sizeof(entry));
        if (entry.key == of[i].key)
          answer(of[i].number, entry.value);
        else if (entry.next == TableEntry::kLast)
          answer(of[i].number, kAbsent);
        else
          next[count++] = {.entry = entry.next, .context = of[i]};
      }
      return compared;
    });
    go_on(std::span(next).first(count));
    for (; known[first] == kKeysAWord; first = (first + 1) & (window - 1)) send();
  }

 private:
  void go_on(std::span<const Unmatched> next) {
    while (!next.empty())
      push_burst(unmatched, [&](std::span<Unmatched> slots) {
        const std::size_t count = std::min(slots.size(), next.size());
        std::copy_n(next.begin(), count, slots.begin());
        next = next.subspan(count);
        return count;
      });
  }
  void answer(std::uint32_t number, Value value) {
    const std::uint32_t word = number / kKeysAWord & (window - 1);  // a division would take a third of the step
    found[word][number % kKeysAWord] = value;
    ++known[word];
  }
  void send() {
    if (++in_message == message) in_message = 0;
    known[first] = 0;
    values.push({.data = std::bit_cast<Word>(found[first]), .last = in_message == 0});
    answered.push({});
  }
};

}  // namespace isthmus::apps
