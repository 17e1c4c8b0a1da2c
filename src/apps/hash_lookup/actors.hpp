#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The field at `offset` of the entry that a word of memory holds: of its 64 bytes no more is loaded than is asked for.
inline std::uint64_t field_of(const DramReadResp& entry, std::size_t offset) {
  std::uint64_t field = 0;
  std::memcpy(&field, entry.data.bytes.data() + offset, sizeof(field));
  return field;
}

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
    while (free > 0)
      if (!begin()) {
        ended = keys.closed();
        return;
      }
  }
  bool done() const { return ended && free == window; }

 private:
  static constexpr std::size_t kWordsAtOnce = kAtOnce / kKeysAWord;

  /// Tells whether there was a look-up that goes on.
  bool go_on() {
    std::array<Unmatched, kAtOnce> next;
    std::size_t count = 0;
    const bool any = pull_burst(unmatched, [&](std::span<const Unmatched> came) {
      count = std::min(came.size(), next.size());
      std::copy_n(came.begin(), count, next.begin());
      return count;
    });
    ask(count, [&](std::size_t i) { return next[i]; });
    return any;
  }
  /// Tells whether there was a word of keys.
  bool begin() {
    std::array<Key, kAtOnce> of_words;
    std::size_t count = 0;
    const bool any = pull_burst(keys, [&](std::span<const StreamWord> came) {
      const std::size_t words = std::min({came.size(), kWordsAtOnce, std::size_t{free}});
      for (; count < words; ++count)
        std::memcpy(&of_words[count * kKeysAWord], came[count].data.bytes.data(), kWordBytes);
      return words;
    });
    free -= static_cast<std::uint32_t>(count);
    ask(count * kKeysAWord, [&, from = number](std::size_t i) -> Unmatched {
      return {.entry = bucket_of(of_words[i], table.buckets),
              .context = {.key = of_words[i], .number = from + static_cast<std::uint32_t>(i)}};
    });
    number += static_cast<std::uint32_t>(count * kKeysAWord);
    return any;
  }
  /// Asks for the entries of so many look-ups, which `look_up` gives by their places.
  template <class LookUp>
  void ask(std::size_t count, const LookUp& look_up) {
    std::size_t asked = 0;
    while (asked < count)
      push_burst(requests, contexts, [&](std::span<DramReadReq> reads, std::span<Context> kept) {
        const std::size_t now = std::min(reads.size(), count - asked);
        for (std::size_t i = 0; i < now; ++i) {
          // Fields apart: a core waits where it loads at once what it has just stored in two parts.
          const Unmatched of = look_up(asked + i);
          reads[i] = {.num = 1, .addr = table.address + of.entry * sizeof(TableEntry)};
          kept[i].key = of.context.key;
          kept[i].number = of.context.number;
        }
        asked += now;
        return now;
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
  std::array<Value, kMostWords * kKeysAWord> found{};
  std::array<std::uint8_t, kMostWords * kKeysAWord> known{};  ///< 1 where the value is known

  Matcher(std::uint32_t window_words, std::uint32_t message_words) : window(window_words), message(message_words) {}

  void step() {
    std::array<Unmatched, kAtOnce> next;
    std::size_t count = 0;
    read_burst(entries, contexts, [&](std::span<const DramReadResp> came, std::span<const Context> of) {
      const std::uint32_t places = window * kKeysAWord;
      const std::size_t compared = std::min(came.size(), next.size());
      for (std::size_t i = 0; i < compared; ++i) {
        const std::uint32_t place = of[i].number & (places - 1);  // a division would take a third of the step
        const bool same = field_of(came[i], offsetof(TableEntry, key)) == of[i].key;
        const auto entry = field_of(came[i], offsetof(TableEntry, next));
        if (!same && entry != TableEntry::kLast) {
          next[count++] = {.entry = entry, .context = of[i]};
          continue;
        }
        found[place] = same ? field_of(came[i], offsetof(TableEntry, value)) : kAbsent;
        known[place] = 1;
      }
      return compared;
    });
    go_on(std::span(next).first(count));
    send_known();
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
  /// Marks, not a count of each word's values: a count in memory would wait for the one before.
  bool all_known(std::uint32_t word) const {
    static constexpr std::array<std::uint8_t, kKeysAWord> kAll{1, 1, 1, 1, 1, 1, 1, 1};
    return std::memcmp(&known[word * kKeysAWord], kAll.data(), kAll.size()) == 0;
  }
  void send_known() {
    while (all_known(first))
      push_burst(values, answered, [this](std::span<StreamWord> words, std::span<WordAnswered>) {
        std::size_t count = 0;
        while (count < words.size() && all_known(first)) take_first(words[count++]);
        return count;
      });
  }
  void take_first(StreamWord& word) {
    std::memset(&known[first * kKeysAWord], 0, kKeysAWord);
    std::memcpy(word.data.bytes.data(), &found[first * kKeysAWord], kWordBytes);
    if (++in_message == message) in_message = 0;
    word.last = in_message == 0;
    first = (first + 1) & (window - 1);
  }
};

}  // namespace isthmus::apps
