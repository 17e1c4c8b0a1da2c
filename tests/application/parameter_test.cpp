// What a user may choose of an application, and how a request says it.
#include "isthmus/application/parameter.hpp"

#include <gmock/gmock.h>

#include "base/temporary_folder.hpp"
#include "isthmus/base/error.hpp"
#include "program/parameter_options.hpp"

namespace isthmus::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<Parameter> kDeclared{
    {.name = "values",
     .kind = ParameterKind::integer,
     .help = "numbers of a message",
     .unit = "values",
     .min = 16,
     .max = 64,
     .preset = "32"},
    {.name = "gain", .kind = ParameterKind::number, .help = "by which it grows", .min = 0},
    {.name = "order", .kind = ParameterKind::choice, .help = "of the sum", .choices = {"rising", "falling"}}};

ParameterArguments asked(const std::string& json) {
  Request request(json);
  return {request, "sums", kDeclared};
}

std::optional<int> packets(const std::string& json) {
  Request request(json);
  return count_of(request, "packets");
}

TEST(Parameters, ThatTakeSeveralValuesAreARowForEachCombination) {
  const std::vector<Parameter> several{{.name = "way",
                                        .kind = ParameterKind::choice,
                                        .help = "",
                                        .choices = {"a", "b"},
                                        .several = true,
                                        .preset = "a,b"},
                                       {.name = "size", .kind = ParameterKind::integer, .help = "", .preset = "3"},
                                       {.name = "start",
                                        .kind = ParameterKind::choice,
                                        .help = "",
                                        .choices = {"x", "y"},
                                        .several = true,
                                        .preset = "y"}};
  Values values(several);
  values.set("start", parse(several[2], "y,x", "--start"));
  std::vector<std::string> rows;
  for (const Values& row : each_of(several, values))
    rows.push_back(row.text("way") + row.text("start") + std::to_string(row.integer("size")));
  EXPECT_THAT(rows, ElementsAre("ay3", "ax3", "by3", "bx3"));
  EXPECT_THAT([&] { parse(several[0], "a,c", "--way"); }, ThrowsMessage<Error>(HasSubstr("--way: unknown way 'c'")));
  EXPECT_THAT([&] { parse(several[0], "a,a", "--way"); },
              ThrowsMessage<Error>(HasSubstr("--way: expected each way once, got 'a' again")));
  EXPECT_THAT([&] { parse(several[0], "a,", "--way"); }, ThrowsMessage<Error>(HasSubstr("--way: unknown way ''")));
}

TEST(Parameters, HoldWhatWasTypedInEitherFormAndThePresetsOfTheOthers) {
  const auto arguments = asked(R"({"set":{"gain":0.5,"link.pcie.lanes":8},"order":"falling"})");
  const Values values = arguments.values();
  EXPECT_EQ(values.integer("values"), 32);
  EXPECT_EQ(values.number("gain"), 0.5);
  EXPECT_EQ(values.text("order"), "falling");
  EXPECT_THAT(arguments.overrides(), ElementsAre("link.pcie.lanes=8"));
  EXPECT_EQ(to_json(values).text(), R"({"gain":0.5,"order":"falling","values":32})");
  EXPECT_EQ(asked(R"({"values":"16"})").values().integer("values"), 16) << "as it was typed";
  EXPECT_FALSE(asked("{}").values().has("gain")) << "it has no preset";
}

TEST(Parameters, AreRefusedInALineThatSaysWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {R"({"set":{"value":40}})", "unknown parameter 'value': expected values, gain or order"},
      {R"({"set":{"value":40}})", "did you mean 'values'?"},
      {R"({"set":{"values":65}})", "--set values=65: expected an integer of 16..64 values, got '65'"},
      {R"({"values":15})", "--values: expected an integer of 16..64 values, got '15'"},
      {R"({"values":16.5})", "got '16.5'"},
      {R"({"values":""})", "got ''"},
      {R"({"values":"x"})", "got 'x'"},
      {R"({"values":true})", "got 'true'"},
      {R"({"gain":-1})", "--gain: expected a number of 0 or more, got '-1'"},
      {R"({"gain":"inf"})", "got 'inf'"},
      {R"({"gain":"nan"})", "got 'nan'"},
      {R"({"gain":"one"})", "got 'one'"},
      {R"({"order":""})", "unknown order ''"},
      {R"({"order":"raising"})", "did you mean 'rising'?"},
      {R"({"values":16,"set":{"values":17}})", "--set values=17: parameter 'values' has a value already"}};
  for (const auto& [json, part] : refused)
    EXPECT_THAT([&] { asked(json).values(); }, ThrowsMessage<Error>(HasSubstr(part))) << json;
  EXPECT_THAT(
      [] {
        Request request(R"({"set":{"lanes":8}})");
        ParameterArguments(request, "echo", {}).values();
      },
      ThrowsMessage<Error>(HasSubstr("application 'echo' has no parameters")));
}

TEST(Parameters, AFolderIsOneThatIsThereAndAFileToo) {
  const TemporaryFolder own;
  const std::string folder = own.path();
  const std::string file = own.written("file", "text");
  const auto given = [](ParameterKind kind, const std::string& path) {
    return std::get<std::string>(parse({.name = "input", .kind = kind, .help = ""}, path, "--input"));
  };
  EXPECT_EQ(given(ParameterKind::folder, folder), folder);
  EXPECT_EQ(given(ParameterKind::file, file), file);
  const auto refused = [&](ParameterKind kind, const std::string& path, const char* part) {
    EXPECT_THAT([&] { given(kind, path); }, ThrowsMessage<Error>(HasSubstr(part)));
  };
  refused(ParameterKind::folder, file, "--input: expected a folder, got '");
  refused(ParameterKind::folder, "/dev/null", "--input: expected a folder, got '/dev/null'");
  refused(ParameterKind::folder, folder + "/none", "No such file");
  refused(ParameterKind::file, folder, "--input: expected a file, got '");
  refused(ParameterKind::file, file + ".none", "No such file");
}

TEST(Parameters, AreDescribedWithWhatBoundsThem) {
  EXPECT_EQ(to_json(kDeclared).text(),
            R"([{"name":"values","kind":"integer","unit":"values","min":16,"max":64,"default":32,)"
            R"("help":"numbers of a message"},)"
            R"({"name":"gain","kind":"number","min":0.0,"help":"by which it grows"},)"
            R"({"name":"order","kind":"choice","choices":["rising","falling"],"help":"of the sum"}])");
}

TEST(Count, GoesByTwoNamesOfWhichOneMayBeGiven) {
  EXPECT_EQ(packets("{}"), std::nullopt);
  EXPECT_EQ(packets(R"({"count":7})"), 7);
  EXPECT_EQ(packets(R"({"packets":8})"), 8);
  EXPECT_THAT([] { packets(R"({"packets":8,"count":8})"); },
              ThrowsMessage<Error>(HasSubstr("--count, --packets: expected one of them")));
  EXPECT_THAT([] { packets(R"({"packets":0})"); },
              ThrowsMessage<Error>(HasSubstr("--packets: expected 1 or more, got 0")));
  EXPECT_THAT([] { packets(R"({"count":-2})"); },
              ThrowsMessage<Error>(HasSubstr("--count: expected 1 or more, got -2")));
}

}  // namespace
}  // namespace isthmus::program
