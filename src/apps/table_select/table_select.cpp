// Rows of a table on a drive, of which a selection reaches the host: near-storage computing (stacc figure 1).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/table_select/kernel.hpp"
#include "apps/table_select/rows.hpp"
#include "apps/table_select/table.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

/// Rows of a generated table at most, 256 MiB; longer runs read it again.
constexpr std::int64_t kGeneratedRows = std::int64_t{1} << 22U;

/// Cycles from a row's entry to its leaving: the comparison and a register.
constexpr int kDepth = 2;

/// The selection as an actor of a stream.
struct RowSelector {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  Selection selection;

  explicit RowSelector(std::int64_t below) : selection(below) {}

  void step() {
    const StreamWord row = in.read();
    if (selection.keeps(row.data.bytes)) out.push({.data = row.data, .last = false});
    if (row.last) out.push({.data = selection.end(), .last = true});
  }
};

/// What a run has: its table, what is selected, and what has come of it.
struct SelectionData {
  std::shared_ptr<const FileTable> file{};
  std::shared_ptr<const Table> table{};
  std::size_t in_message = 0;  ///< rows in a message
  std::int64_t below = 0;
  std::unique_ptr<RowWriter> writer{};
  int messages = 0;  ///< messages of a run
  int received = 0;
  std::int64_t kept = 0;

  void open(const program::Opening& opening) {
    messages = opening.count;
    const std::int64_t rows = static_cast<std::int64_t>(in_message) * opening.count;
    if (file == nullptr) table = std::make_shared<GeneratedTable>(opening.seed, std::min(rows, kGeneratedRows));
  }
  /// A table is read again from its beginning once all of it was.
  void fill(int message, std::span<std::byte> rows) const {
    const auto each = static_cast<std::int64_t>(in_message);
    const std::int64_t of_table = (table->rows() + each - 1) / each;
    table->read(message % of_table * each, rows);
  }
  void take(std::span<const std::byte> output) {
    const auto rows = output.first(output.size() - kRowBytes);
    if (writer != nullptr && received % messages == 0) writer->begin();
    if (writer != nullptr) writer->write(rows);
    ++received;
    kept += static_cast<std::int64_t>(rows.size() / kRowBytes);
  }
  double kept_share() const {
    return static_cast<double>(kept) / (static_cast<double>(received) * static_cast<double>(in_message));
  }
};

template <class Each>
void each_row(std::span<const std::byte> rows, const Each& each) {
  for (; !rows.empty(); rows = rows.subspan(kRowBytes)) each(rows.first<kRowBytes>());
}

/// The rows that are kept, what follows them, and zeros.
void select(std::int64_t below, std::span<const std::byte> in, std::span<std::byte> out) {
  std::uint64_t kept = 0;
  each_row(in, [&](std::span<const std::byte, kRowBytes> row) {
    if (row_key(row) >= below) return;
    std::ranges::copy(row, out.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += kRowBytes;
  });
  const std::uint64_t scanned = in.size() / kRowBytes;
  std::ranges::fill(out.subspan(kept), std::byte{});
  std::memcpy(out.data() + kept, &kept, sizeof(kept));
  std::memcpy(out.data() + kept + sizeof(kept), &scanned, sizeof(scanned));
}

std::size_t selected_bytes(std::int64_t below, std::span<const std::byte> in) {
  std::size_t words = 1;
  each_row(in, [&](std::span<const std::byte, kRowBytes> row) { words += row_key(row) < below ? 1 : 0; });
  return words * kRowBytes;
}

program::DeviceKernel device_kernel(std::int64_t below, std::size_t rows) {
  std::vector<std::byte> predicate(kRowBytes);
  std::memcpy(predicate.data(), &below, sizeof(below));
  return {.twin = table_select_kernel(),
          .arguments = {program::InputBuffer{}, program::OutputBuffer{0}, program::OutputBuffer{1},
                        program::ConstantBuffer{}, static_cast<std::int32_t>(rows)},
          .outputs = {rows * kRowBytes, kRowBytes},
          .length_last = true,
          .constants = {std::move(predicate)}};
}

/// As few more rows as it takes to cut a file into messages of one size.
std::size_t rows_in_message(std::int64_t rows, std::int64_t most) {
  const std::int64_t messages = (rows + most - 1) / most;
  return static_cast<std::size_t>((rows + messages - 1) / messages);
}

std::shared_ptr<SelectionData> state_of(const program::Values& values) {
  auto state = std::make_shared<SelectionData>();
  const std::int64_t batch = values.integer("batch");
  const double share = values.number("selectivity");
  if (values.has("input")) {
    state->table = state->file = std::make_shared<FileTable>(values.text("input"));
    state->below = state->file->bound_of(share);
    state->in_message = rows_in_message(state->file->rows(), batch);
  } else {
    state->below = GeneratedTable::bound_of(share);
    state->in_message = static_cast<std::size_t>(batch);
  }
  return state;
}

program::Extras extras_of(const program::Values& values, const std::shared_ptr<SelectionData>& state) {
  program::Extras extras{.counted = "rows", .count = 1 << 20, .in_message = static_cast<int>(state->in_message)};
  if (state->file != nullptr) {
    constexpr std::int64_t kMost = 1 << 30;
    if (state->file->rows() > kMost)
      throw Error(fmt::format("input: expected at most {} rows, got {}", kMost, state->file->rows()));
    extras.count = static_cast<int>(state->file->rows());
  }
  extras.open = [state, values](const program::Opening& opening) {
    state->open(opening);
    if (values.has("output")) state->writer = std::make_unique<RowWriter>(values.text("output"));
  };
  extras.device = device_kernel(state->below, state->in_message);
  extras.from_storage = true;
  extras.independent = true;
  extras.output_bytes = [below = state->below](std::span<const std::byte> in) { return selected_bytes(below, in); };
  extras.received = [state](std::span<const std::byte> output) { state->take(output); };
  extras.told = [state]() -> std::vector<std::pair<std::string, double>> {
    if (state->received == 0) return {};
    return {{"selected_share", state->kept_share()}};
  };
  extras.finished = [state] {
    if (state->writer != nullptr) state->writer->finish();
  };
  return extras;
}

program::ByteApplication of_values(const program::Values& values) {
  const auto state = state_of(values);
  const std::size_t bytes = state->in_message * kRowBytes;
  return program::Application<std::byte, std::byte>{
      .name = "table-select",
      .summary = "the rows of a table on a drive with keys below a bound (Ruan et al., ST-Accel, FCCM 2018, figure 1)",
      .input = bytes,
      .output = bytes + kRowBytes,
      .kernel =
          [below = state->below](program::Kernel& kernel) {
            auto& selector = kernel.add<RowSelector>("selector", below);
            kernel.from_storage(selector.in);
            kernel.to_host(selector.out, kDepth);
          },
      .fill = [state](int message, std::span<std::byte> rows) { state->fill(message, rows); },
      .reference = [below = state->below](std::span<const std::byte> in,
                                          std::span<std::byte> out) { select(below, in, out); },
      .extras = extras_of(values, state)}
      .bytes();
}

}  // namespace

program::Maker table_select() {
  using enum program::ParameterKind;
  return {
      .parameters = {{.name = "selectivity",
                      .kind = number,
                      .help = "share of the rows whose keys select them",
                      .min = 0,
                      .max = 1,
                      .preset = "0.1"},
                     {.name = "input", .kind = file, .help = "a file of rows of 64 bytes, whose first 8 are the key"},
                     {.name = "output", .kind = text, .help = "a file to write the selected rows to"},
                     {.name = "batch",
                      .help = "most rows in a message, and so in a kernel launch between copies",
                      .min = 1,
                      .max = 65535,
                      .preset = "8192"}},
      .make = of_values};
}

}  // namespace isthmus::apps
