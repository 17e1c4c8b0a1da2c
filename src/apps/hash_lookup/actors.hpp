#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "apps/hash_lookup/table.hpp"
#include "isthmus/stream.hpp"

/// The look-ups of stacc figure 4: one actor asks for entries, another compares what has come, and neither waits for a
/// single look-up. Look-ups end in another order than they began, so that values go back to the host in the order of
/// the keys from a window.
namespace isthmus::apps {

/// Keys, or values, of a word of the stream.
inline constexpr std::uint32_t kKeysAWord = kWordBytes / sizeof(Key);

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
    while (const Unmatched* next = unmatched.pull_in_place()) ask(next->entry, next->context);
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
  void begin(const Word& word) {
    --free;
    for (const Key key : std::bit_cast<std::array<Key, kKeysAWord>>(word))
      ask(bucket_of(key, table.buckets), {.key = key, .number = number++});
  }
  void ask(std::uint64_t entry, const Context& context) {
    requests.push({.num = 1, .addr = table.address + entry * sizeof(TableEntry)});
    contexts.push(context);
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
    EntryHead entry;
    std::memcpy(&entry, entries.read_in_place().data.bytes.data(), sizeof(entry));
    const Context context = contexts.read();
    if (entry.key == context.key)
      answer(context.number, entry.value);
    else if (entry.next == TableEntry::kLast)
      answer(context.number, kAbsent);
    else
      unmatched.push({.entry = entry.next, .context = context});
  }

 private:
  void answer(std::uint32_t number, Value value) {
    const std::uint32_t word = number / kKeysAWord & (window - 1);  // a division would take a third of the step
    found[word][number % kKeysAWord] = value;
    if (++known[word] < kKeysAWord) return;
    for (; known[first] == kKeysAWord; first = (first + 1) & (window - 1)) send();
  }
  void send() {
    if (++in_message == message) in_message = 0;
    known[first] = 0;
    values.push({.data = std::bit_cast<Word>(found[first]), .last = in_message == 0});
    answered.push({});
  }
};

}  // namespace isthmus::apps
