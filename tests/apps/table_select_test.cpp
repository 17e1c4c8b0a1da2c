// Rows of a table: what is selected on every target, against a plain filter; what a drive lets through; files.
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include "apps/installed.hpp"
#include "apps/table_select/rows.hpp"
#include "apps/table_select/table.hpp"
#include "base/temporary_folder.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Rows = std::vector<std::byte>;

ByteApplication selection(const Chosen& chosen) {
  return installed("table-select", chosen);
}

/// Rows with keys that are drawn from a few values, so that some are equal.
Rows some_rows(std::size_t count, std::uint64_t values) {
  Rows rows(count * kRowBytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = static_cast<std::int64_t>(random_word(5, 0, i) % values) - 20;
    std::memset(rows.data() + i * kRowBytes, static_cast<int>(i % 251), kRowBytes);
    std::memcpy(rows.data() + i * kRowBytes, &key, sizeof(key));
  }
  return rows;
}

std::int64_t key_at(const Rows& rows, std::size_t row) {
  std::int64_t key = 0;
  std::memcpy(&key, rows.data() + row * kRowBytes, sizeof(key));
  return key;
}

void write_file(const std::filesystem::path& file, const Rows& rows) {
  write_text(file, {reinterpret_cast<const char*>(rows.data()), rows.size()});
}

Rows read_file(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

program::Ran run(const ByteApplication& application, const std::string& target, const std::string& flow, int messages,
                 const std::vector<std::string>& overrides = {}) {
  application.extras.open({.count = messages, .seed = 7});
  return program::ran(target, overrides, {.application = application, .flow = flow, .count = messages});
}

int messages_of(const ByteApplication& application) {
  return (application.extras.count + application.extras.in_message - 1) / application.extras.in_message;
}

TEST(TableSelect, WritesTheRowsBelowTheBoundInTheirOrderOnEveryTarget) {
  const TemporaryFolder folder;
  const Rows rows = some_rows(5003, 900);
  write_file(folder / "rows", rows);
  const std::int64_t bound = FileTable(folder / "rows").bound_of(0.3);
  Rows expected;
  for (std::size_t i = 0; i < 5003; ++i)
    if (key_at(rows, i) < bound)
      expected.insert(expected.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * kRowBytes),
                      rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * kRowBytes));
  ASSERT_FALSE(expected.empty());
  for (const auto& [target, flow] : std::vector<std::pair<std::string, std::string>>{
           {"model:aws-f1", "stream"}, {"model:aws-f1", "offload"}, {"native", "stream"}, {"opencl:0", "offload"}}) {
    SCOPED_TRACE(target + " " + flow);
    const ByteApplication application = selection({{"input", (folder / "rows").string()},
                                                   {"output", (folder / "kept").string()},
                                                   {"selectivity", 0.3},
                                                   {"batch", std::int64_t{700}}});
    EXPECT_TRUE(run(application, target, flow, messages_of(application)).run.right());
    EXPECT_FALSE(std::filesystem::exists(folder / "kept"));
    application.extras.finished();
    EXPECT_EQ(read_file(folder / "kept"), expected);
    std::filesystem::remove(folder / "kept");
  }
}

TEST(TableSelect, KeepsNothingAndEverything) {
  for (const double share : {0.0, 1.0})
    for (const char* flow : {"stream", "offload"}) {
      const ByteApplication application = selection({{"selectivity", share}, {"batch", std::int64_t{300}}});
      EXPECT_TRUE(run(application, "model:aws-f1", flow, 4).run.right());
      EXPECT_THAT(application.extras.told(), testing::ElementsAre(testing::Pair("selected_share", share)));
    }
}

TEST(TableSelect, KeepsTheShareOfAFileThatWasAskedForWhereNoKeysAreEqual) {
  const TemporaryFolder folder;
  Rows rows(1000 * kRowBytes);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t key = i * 7919 % 1000 - 500;  // each once: 7919 is prime
    std::memcpy(rows.data() + static_cast<std::size_t>(i) * kRowBytes, &key, sizeof(key));
  }
  write_file(folder / "rows", rows);
  const FileTable table(folder / "rows");
  for (const int kept : {0, 1, 250, 999}) EXPECT_EQ(table.bound_of(kept / 1000.0), kept - 500) << kept;
  EXPECT_EQ(table.bound_of(1), kNoKey);
}

TEST(TableSelect, StreamsAtTheDrivesRateUntilTheQueueHoldsItBack) {
  const ByteApplication application = selection({});
  const auto whole = run(application, "model:aws-f1", "stream", 40);
  const double bytes = 40.0 * static_cast<double>(application.input);
  // The first read takes its latency, which the rest hides.
  EXPECT_NEAR(bytes / (whole.seconds() - 90e-6), 3.2e9, 0.02 * 3.2e9);
  // Little's law: two reads of 128 KiB under way, each 90 us and its time at 3.2 GB/s.
  const auto held = run(application, "model:aws-f1", "stream", 40, {"storage.queue_depth=2"});
  const double law = 2 * 131072 / (90e-6 + 131072 / 3.2e9);
  EXPECT_NEAR(bytes / held.seconds(), law, 0.03 * law);
  EXPECT_EQ(held.row.at("bottleneck").at("part"), "storage queue");
}

TEST(TableSelect, TakesTwiceTheTimeForTwiceTheRows) {
  for (const char* flow : {"stream", "offload"}) {
    const ByteApplication application = selection({});
    const double once = run(application, "model:aws-f1", flow, 40).seconds();
    EXPECT_NEAR(run(application, "model:aws-f1", flow, 80).seconds(), 2 * once, 0.02 * 2 * once) << flow;
  }
}

TEST(TableSelect, SendsTheHostOnlyWhatIsSelected) {
  const auto to_host = [](double share) {
    const auto done = run(selection({{"selectivity", share}}), "model:aws-f1", "stream", 20);
    return done.run.times.stages.back().time.seconds();
  };
  EXPECT_LT(to_host(0.05), 0.1 * to_host(1));
}

TEST(TableSelect, OfEqualSeedsGivesEqualTimes) {
  const auto once = [] { return run(selection({}), "model:aws-f1", "stream", 5).run.times.latencies; };
  EXPECT_EQ(once(), once());
}

TEST(TableSelect, RefusesHalfARowAnEmptyFileAndOneThatIsNone) {
  const TemporaryFolder folder;
  write_file(folder / "half", Rows(3 * kRowBytes + 20));
  write_file(folder / "empty", {});
  const auto refused = [&](const std::string& file, const std::string& why) {
    EXPECT_THAT(
        [&] {
          selection({{"input", (folder / file).string()}});
        },
        ThrowsMessage<Error>(AllOf(HasSubstr((folder / file).string()), HasSubstr(why))));
  };
  refused("half", "expected rows of 64 B, got 20 B behind row 3");
  refused("empty", "expected rows of 64 B, got an empty file");
  refused("none", "No such file");
}

TEST(TableSelect, RefusesAFileThatHasBecomeShorter) {
  const TemporaryFolder folder;
  write_file(folder / "rows", some_rows(100, 50));
  const FileTable table(folder / "rows");
  write_file(folder / "rows", some_rows(40, 50));
  Rows rows(100 * kRowBytes);
  EXPECT_THAT([&] { table.read(0, rows); }, ThrowsMessage<Error>(HasSubstr("expected 100 rows")));
}

TEST(TableSelect, RefusesABoardWithoutADriveAndABufferThatHoldsNoOutput) {
  const ByteApplication application = selection({{"batch", std::int64_t{65535}}});
  const auto asked = [&](const std::string& board) {
    program::open_target(board, {})->require_flow(application, "stream");
  };
  EXPECT_THAT([&] { asked("model:alpha-data-7v3"); }, ThrowsMessage<Error>(HasSubstr("storage")));
  EXPECT_THAT([&] { run(application, "model:aws-f1", "stream", 1, {"stream.buffer_size=1MiB"}); },
              ThrowsMessage<Error>(HasSubstr("stream.buffer_size: expected at least 4194304 B")));
}

}  // namespace
}  // namespace isthmus::apps
