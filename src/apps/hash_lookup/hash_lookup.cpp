// Look-ups in a chained hash table in device memory (stacc algorithm 1, figure 4, VI-B2).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "application/unclocked.hpp"
#include "apps/hash_lookup/kernel.hpp"
#include "apps/hash_lookup/look_ups.hpp"
#include "apps/hash_lookup/table.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::apps {
namespace {

// The look-ups of stacc figure 4: one actor asks for entries, another compares what has come, and neither waits for a
// single look-up. Look-ups end in another order than they began, so that values go back to the host in the order of
// the keys from a window.

/// Keys, or values, of a word of the stream.
constexpr std::uint32_t kKeysAWord = kWordBytes / sizeof(Key);

/// Look-ups that an actor handles between two moves of tokens, if there are as many.
constexpr std::size_t kAtOnce = 32;

/// The field at `offset` of the entry that a word of memory holds: of its 64 bytes no more is loaded than is asked for.
std::uint64_t field_of(const DramReadResp& entry, std::size_t offset) {
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
  /// Asks for the entries of `count` look-ups, which `look_up` gives by their places.
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

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// The data of a run: its table, and the look-ups in it once they are drawn.
struct LookupData {
  std::variant<EvenTable, ChainedTable> table{std::in_place_type<EvenTable>, 1, 1, 0};
  Words words;
  std::optional<LookUps> look_ups;

  std::uint64_t bytes() const {
    return std::visit([](const auto& of) { return of.bytes(); }, table);
  }
  std::uint64_t buckets() const {
    return std::visit([](const auto& of) { return of.buckets(); }, table);
  }
  void write(std::uint64_t offset, std::span<std::byte> stretch) const {
    std::visit([&](const auto& of) { of.write(offset, stretch); }, table);
  }
};

/// The layout of the actors.
struct ActorLayout {
  std::uint64_t buckets;
  std::uint32_t message;     ///< words of a message
  std::optional<int> depth;  ///< accesses under way, if the user gives a number
};

/// In the order of the keys a look-up waits for all before it, of which some read a whole chain: the window has this
/// many places for each access in flight.
constexpr std::uint32_t kWindowed = 4;

/// Requests that stand in front of memory's port, whose look-ups have their context already.
constexpr int kOnTheWay = 16;

std::uint32_t window_words(int depth) {
  const std::uint32_t words = (static_cast<std::uint32_t>(depth) * kWindowed + kKeysAWord - 1) / kKeysAWord;
  return std::min(std::bit_ceil(words), Matcher::kMostWords);
}

void lay_out(program::Kernel& kernel, const ActorLayout& layout) {
  const int depth = layout.depth ? *layout.depth : kernel.reads_to_cover_memory();
  const std::uint32_t window = window_words(depth);
  auto& reader = kernel.add<EntryReader>(
      "entry reader", TablePlace{.address = kernel.memory_image(), .buckets = layout.buckets}, window);
  auto& matcher = kernel.add<Matcher>("matcher", window, layout.message);
  kernel.from_host(reader.keys);
  kernel.to_host(matcher.values);
  kernel.reads_memory({.name = "table", .under_way = depth}, reader.requests, matcher.entries);
  kernel.connect(reader.contexts, matcher.contexts, program::unclocked(depth + kOnTheWay));
  // Room for every look-up that may have to go on, so that the two actors never wait for each other.
  kernel.connect(matcher.unmatched, reader.unmatched, program::unclocked(static_cast<int>(window * kKeysAWord)));
  kernel.connect(matcher.answered, reader.answered, program::unclocked(static_cast<int>(window)));
}

program::DeviceKernel device_kernel(std::uint64_t buckets, std::int32_t batch) {
  return {.twin = hash_lookup_kernel(),
          .arguments = {program::InputBuffer{}, program::OutputBuffer{}, program::ImageBuffer{},
                        static_cast<std::int32_t>(buckets), batch}};
}

/// Throws Error for a table of more buckets than a kernel's argument counts.
void check_buckets(const LookupData& state) {
  if (state.buckets() > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(fmt::format("table: expected fewer than 2^31 chains, got {}", state.buckets()));
}

std::shared_ptr<LookupData> state_of(const program::Values& values) {
  auto state = std::make_shared<LookupData>();
  const int lambda = static_cast<int>(values.integer("lambda"));
  if (values.has("input")) {
    state->words = read_words(values.text("input"));
    state->table.emplace<ChainedTable>(state->words.pairs, lambda);
  } else {
    const auto bytes = static_cast<std::uint64_t>(values.integer("table")) * kMiB;
    state->table.emplace<EvenTable>(bytes / sizeof(TableEntry), lambda, 0);
  }
  check_buckets(*state);
  return state;
}

void draw(LookupData& state, const program::Values& values, const program::Opening& opening) {
  if (const auto* chained = std::get_if<ChainedTable>(&state.table)) {
    state.look_ups.emplace(*chained, state.words.pairs, state.words.keys);
    return;
  }
  const auto bytes = static_cast<std::uint64_t>(values.integer("table")) * kMiB;
  const auto& even = state.table.emplace<EvenTable>(bytes / sizeof(TableEntry),
                                                    static_cast<int>(values.integer("lambda")), opening.seed);
  const KeyDraw draw = values.text("keys") == "zipf" ? KeyDraw::zipf : KeyDraw::uniform;
  const auto count = static_cast<std::uint64_t>(opening.count) * static_cast<std::uint64_t>(values.integer("batch"));
  state.look_ups.emplace(even, draw, count, opening.seed);
}

program::ByteApplication look_ups_of(const program::Values& values) {
  const std::int64_t batch = values.integer("batch");
  if (batch % kKeysAWord != 0)
    throw Error(
        fmt::format("batch: expected a multiple of {}, which a word of 512 bit holds, got {}", kKeysAWord, batch));
  const auto state = state_of(values);
  ActorLayout layout{
      .buckets = state->buckets(), .message = static_cast<std::uint32_t>(batch / kKeysAWord), .depth = {}};
  if (values.has("depth")) layout.depth = static_cast<int>(values.integer("depth"));
  program::Extras extras{.counted = "lookups",
                         .facts = {{"bytes_per_entry", sizeof(TableEntry)}},
                         .count = 1 << 18,
                         .in_message = static_cast<int>(batch)};
  extras.open = [state, values](const program::Opening& opening) { draw(*state, values, opening); };
  extras.device = device_kernel(state->buckets(), static_cast<std::int32_t>(batch));
  extras.memory = program::MemoryImage{
      .bytes = state->bytes(),
      .fill = [state](std::uint64_t offset, std::span<std::byte> stretch) { state->write(offset, stretch); }};
  extras.told = [state]() -> std::vector<std::pair<std::string, double>> {
    return {{"accesses_per_lookup", state->look_ups->accesses()}};
  };
  extras.parts = {"onchip"};
  extras.independent = true;
  return program::Application<Key, Value>{
      .name = "hash-lookup",
      .summary = "look-ups in a chained hash table in device memory (Ruan et al., ST-Accel, FCCM 2018, VI-B2)",
      .input = static_cast<std::size_t>(batch),
      .output = static_cast<std::size_t>(batch),
      .kernel = [layout](program::Kernel& kernel) { lay_out(kernel, layout); },
      .fill = [state](int message, std::span<Key> keys) { state->look_ups->fill(message, keys); },
      .reference = [state](std::span<const Key> keys, std::span<Value> found) { state->look_ups->expect(keys, found); },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker hash_lookup() {
  using enum program::ParameterKind;
  return {
      .parameters = {{.name = "lambda",
                      .kind = integer,
                      .help = "entries that a look-up reads, on average",
                      .min = 1,
                      .max = 3,
                      .preset = "1"},
                     {.name = "keys",
                      .kind = choice,
                      .help = "distribution of the keys: uniform, or the Zipfian of YCSB (0.99)",
                      .choices = {"uniform", "zipf"},
                      .preset = "uniform"},
                     {.name = "input",
                      .kind = file,
                      .help = "a text; its words are looked up in order, in a table of all its words"},
                     {.name = "table",
                      .kind = integer,
                      .help = "size of the table; with a text its words give the size",
                      .unit = "MiB",
                      .min = 1,
                      .max = 16384,
                      .preset = "64"},
                     {.name = "batch",
                      .kind = integer,
                      .help = "look-ups in a message, a multiple of 8",
                      .min = 8,
                      .max = 1 << 20,
                      .preset = "4096"},
                     {.name = "depth",
                      .kind = integer,
                      .help = "memory accesses in flight in a stream; by default as many as cover the memory's latency",
                      .min = 1,
                      .max = 2048}},
      .make = look_ups_of};
}

}  // namespace isthmus::apps
