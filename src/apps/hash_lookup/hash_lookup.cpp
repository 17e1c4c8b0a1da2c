// Look-ups in a chained hash table in device memory (stacc algorithm 1, figure 4, VI-B2).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "apps/hash_lookup/actors.hpp"
#include "apps/hash_lookup/kernel.hpp"
#include "apps/hash_lookup/look_ups.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/program/application.hpp"

namespace isthmus::apps {
namespace {

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

/// In the order of the keys a look-up waits for all before it, of which some read a whole chain: so many times as many
/// look-ups have a place in the window as accesses are under way.
constexpr std::uint32_t kWindowed = 4;

/// Requests that stand in front of memory's port, whose look-ups have their context already.
constexpr int kOnTheWay = 16;

std::uint32_t window_words(int depth) {
  const std::uint32_t words = (static_cast<std::uint32_t>(depth) * kWindowed + kKeysAWord - 1) / kKeysAWord;
  return std::min(std::bit_ceil(words), Matcher::kMostWords);
}

/// Threads have no clock; their channels need a time, which means nothing there.
ChannelOptions fifo(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
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
  kernel.connect(reader.contexts, matcher.contexts, fifo(depth + kOnTheWay));
  // Room for every look-up that may have to go on, so that the two actors never wait for each other.
  kernel.connect(matcher.unmatched, reader.unmatched, fifo(static_cast<int>(window * kKeysAWord)));
  kernel.connect(matcher.answered, reader.answered, fifo(static_cast<int>(window)));
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
