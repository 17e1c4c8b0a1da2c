#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/image_files.hpp"
#include "tools/process.hpp"

namespace isthmus::tools {
namespace {

using apps::chart;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr apps::ImageSize kFrame{.width = 1920, .height = 1080};

std::vector<json> records(const std::string& out, const std::string& event) {
  std::vector<json> found;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    if (json record = json::parse(line); record.at("event") == event) found.push_back(std::move(record));
  return found;
}

Command asked(const json& request) {
  return {.words = {ISTHMUS_RUN, request.dump()}};
}

Command filter(json request) {
  request["APP"] = "image-filter";
  return asked(request);
}

/// One line that starts with "error: " and holds `part`, exit code 2, no row.
void expect_refused(const Command& command, const std::string& part) {
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 2) << part;
  EXPECT_THAT(outcome.err, AllOf(StartsWith("error: "), HasSubstr(part)));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"row\""))) << part;
}

TEST(IsthmusRun, MeasuresAVerifiedRowOnARealDevice) {
  for (const std::string flow : {"offload", "overlap"}) {
    const Outcome outcome = run(filter({{"on", "opencl:0"}, {"flow", flow}, {"images", 3}, {"seed", 5}}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    const auto rows = records(outcome.out, "row");
    ASSERT_EQ(rows.size(), 1u);
    const json& row = rows[0];
    EXPECT_EQ(row.at("target"), "opencl:0");
    EXPECT_EQ(row.at("flow"), flow);
    EXPECT_EQ(row.at("kind"), "measured");
    EXPECT_EQ(row.at("images"), 3);
    EXPECT_EQ(row.at("count"), 3);
    EXPECT_EQ(row.at("counted"), "images");
    EXPECT_EQ(row.at("bytes_each"), 1920 * 1080 * 4);
    EXPECT_EQ(row.at("value"), row.at("images_per_s"));
    EXPECT_EQ(row.at("unit"), "images/s");
    EXPECT_LE(row.at("latency").at("max_s"), row.at("elapsed_s"));
    EXPECT_EQ(row.at("bytes_per_image"), 1920 * 1080 * 4);
    EXPECT_EQ(row.at("verified"), true);
    EXPECT_EQ(row.at("seed"), 5);
    const double elapsed = row.at("elapsed_s");
    EXPECT_NEAR(row.at("images_per_s").get<double>() * elapsed, 3, 1e-9);
    EXPECT_NEAR(row.at("gb_per_s").get<double>() * elapsed, 3 * 1920 * 1080 * 4e-9, 1e-9);
    EXPECT_GT(row.at("setup_s"), 0.0);
    for (const json& stage : row.at("stages"))
      EXPECT_NEAR(stage.at("share").get<double>() * elapsed, stage.at("time_s").get<double>(), 1e-12);
  }
}

TEST(IsthmusRun, TakesTheUsersPhotographsAndSaysHowManyAreTooSmall) {
  const TemporaryFolder folder;
  write_png(folder / "large.png", chart(kFrame));
  write_png(folder / "small.png", chart({100, 100}));
  const Outcome outcome = run(filter({{"on", "opencl:0"}, {"images", 1}, {"input", folder.path().string()}}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto notes = records(outcome.out, "note");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0].at("text").get<std::string>(), AllOf(HasSubstr(folder.path().string()), HasSubstr(": 1")));
}

TEST(IsthmusRun, DescribesItsApplications) {
  const Outcome outcome = run({.words = {ISTHMUS_RUN, "--describe"}});
  EXPECT_EQ(outcome.code, 0);
  const auto described = records(outcome.out, "description");
  ASSERT_EQ(described.size(), 1u);
  const json& applications = described[0].at("applications");
  ASSERT_GE(applications.size(), 2u);
  EXPECT_EQ(applications[0].at("name"), "image-filter");
  EXPECT_EQ(applications[0].at("counted"), "images");
  EXPECT_EQ(applications[0].at("parameters").at(0).at("name"), "input");
  const auto of_one = records(run(asked({{"list", true}, {"APP", "suffix-sum"}, {"on", "native"}})).out, "application");
  ASSERT_EQ(of_one.size(), 1u);
  EXPECT_EQ(of_one[0].at("name"), "suffix-sum");
  EXPECT_EQ(of_one[0].at("flows"), json({"stream"}));
}

TEST(IsthmusRun, AParameterHoldsInEitherFormAndIsInTheRow) {
  for (const json& form : {json{{"values", 64}}, json{{"set", {{"values", 64}}}}}) {
    json request{{"APP", "suffix-sum"}, {"on", "model:aws-f1"}, {"count", 3}};
    request.update(form);
    const auto rows = records(run(asked(request)).out, "row");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("parameters"), json({{"values", 64}}));
    EXPECT_EQ(rows[0].at("bytes_each"), 256);
    EXPECT_EQ(rows[0].at("flow"), "offload") << "the first that it has there";
  }
}

TEST(IsthmusRun, TakesItsRequestFromStandardInput) {
  Command command{.words = {ISTHMUS_RUN}, .input = R"({"APP": "suffix-sum", "on": "model:aws-f1", "count": 3})"};
  EXPECT_EQ(records(run(command).out, "row").at(0).at("count"), 3);
  command.input = "no request";
  expect_refused(command, "request: expected a JSON object");
  command.words = {ISTHMUS_RUN, "{}", "{}"};
  expect_refused(command, "request: expected one argument, got 2");
}

TEST(IsthmusRun, RefusesUnknownNamesWithTheNearestOne) {
  expect_refused(asked({{"APP", "image-filer"}, {"on", "opencl:0"}}), "did you mean 'image-filter'?");
  expect_refused(filter({{"on", "opencl:0"}, {"flow", "overlapp"}}), "did you mean 'overlap'?");
  expect_refused(filter({{"on", "opencl:77"}}), "'opencl:77'");
  expect_refused(filter({{"on", "opencl:no-such-device"}}), "'opencl:no-such-device'");
  expect_refused(filter({{"on", "fpga"}}), "'fpga'");
}

TEST(IsthmusRun, RefusesWhatMakesNoSense) {
  expect_refused(asked({{"APP", "suffix-sum"}, {"on", "native"}, {"images", 3}}), "--images");
  expect_refused(asked({{"APP", "suffix-sum"}, {"on", "native"}, {"values", 17}}), "values: expected a multiple of 16");
  const auto on = [](const char* target, json more) {
    more["on"] = target;
    return filter(more);
  };
  expect_refused(on("opencl:0", {{"images", 0}}), "--images: expected 1 or more, got 0");
  expect_refused(on("opencl:0", {{"images", 1}, {"count", 1}}), "two names of one option");
  expect_refused(on("opencl:0", {{"set", {{"inputs", "x"}}}}), "did you mean 'input'?");
  expect_refused(on("opencl:0", {{"images", -3}}), "--images");
  expect_refused(on("opencl:0", {{"images", "many"}}), "--images");
  expect_refused(on("opencl:0", {{"flow", "stream"}}), "has no flow 'stream'");
  expect_refused(on("opencl:0", {{"set", {{"link.pcie.lanes", 8}}}}), "link.pcie.lanes=8");
  expect_refused(on("opencl:0", {{"grain", "fine"}}), "only models have a grain");
  expect_refused(on("model:aws-f1", {{"grain", "rough"}}), "--grain: expected fine or coarse, got 'rough'");
  expect_refused(on("model:aws-f1", {{"grain", "coarse"}, {"trace", "a.trace"}}), "--trace: expected");
  expect_refused(filter({}), "--on");
  expect_refused(filter({{"no-such-option", true}}), "--no-such-option");
}

TEST(IsthmusRun, RefusesPhotographsThatAreMissingBrokenOrTooSmall) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& part) {
    expect_refused(filter({{"on", "opencl:0"}, {"input", folder.path().string()}}), part);
  };
  refuses("no photograph");
  write_text(folder / "b.jpg", "");
  refuses("b.jpg: expected a JPEG or PNG image, the file is empty");
  write_text(folder / "b.jpg", "text");
  refuses("b.jpg: neither a JPEG nor a PNG image");
  write_png(folder / "b.jpg", chart({64, 64}));
  refuses("b.jpg: 64 x 64 pixels, expected a photograph of at least 1920 x 1080");
  write_jpeg(folder / "b.jpg", chart(kFrame));
  apps::truncate_to(folder / "b.jpg", 0.5);
  refuses("b.jpg: not a whole JPEG image");
  expect_refused(filter({{"on", "opencl:0"}, {"input", (folder / "none").string()}}), "No such file");
}

TEST(IsthmusRun, SaysThatThereIsNoOpenClDevice) {
  Command command = filter({{"on", "opencl:0"}, {"images", 1}});
  command.environment = {"OCL_ICD_VENDORS=/nonexistent"};
  expect_refused(command, "no OpenCL device");
  expect_refused({.words = {ISTHMUS_DEVICES, "{}"}, .environment = command.environment}, "no OpenCL device");
}

TEST(IsthmusRun, SaysThatItsOutputCannotBeWritten) {
  Command command = filter({{"on", "opencl:0"}, {"images", 1}});
  command.output = Output::full_disk;
  expect_refused(command, "standard output: No space left on device");
  command.output = Output::closed;
  expect_refused(command, "standard output: Bad file descriptor");
  command.output = Output::pipe_without_reader;
  expect_refused(command, "standard output: Broken pipe");
}

TEST(IsthmusRun, EndsWith130AndNoRowAfterCtrlC) {
  Command command = filter({{"on", "opencl:0"}, {"images", 100000}});
  command.interrupt_after_first_line = true;
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "error: interrupted\n");
  EXPECT_THAT(records(outcome.out, "row"), IsEmpty());
}

TEST(IsthmusDevices, PrintsARecordForEachDevice) {
  const Outcome outcome = run({.words = {ISTHMUS_DEVICES, "{}"}});
  EXPECT_EQ(outcome.code, 0);
  const auto devices = records(outcome.out, "device");
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].at("target"), "opencl:0");
  for (const char* key : {"name", "platform", "driver", "type", "compute_units", "global_memory_bytes"})
    EXPECT_TRUE(devices[0].contains(key)) << key;
}

}  // namespace
}  // namespace isthmus::tools
