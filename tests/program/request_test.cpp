// What a program is asked for, as JSON, and what of it is refused.
#include "program/request.hpp"

#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::ThrowsMessage;

const auto one_line_of = [](const std::string& part) {
  return ThrowsMessage<Error>(AllOf(HasSubstr(part), Not(HasSubstr("\n"))));
};

TEST(Request, AnswersWithWhatItsKeysHold) {
  Request request(R"({"on": "native", "count": 3, "list": true, "for": 0.5, "seed": 18446744073709551615,
                      "sizes": [64, 4096], "burst": 128, "start": ["cold", "warm"], "PROBE": "h2d",
                      "set": {"link.pcie.lanes": 8, "order": "falling", "host.copy.enabled": false}})");
  EXPECT_EQ(request.text("on"), "native");
  EXPECT_EQ(request.count("count"), 3);
  EXPECT_TRUE(request.flag("list"));
  EXPECT_EQ(request.positive("for"), 0.5);
  EXPECT_EQ(request.natural("seed"), 18446744073709551615U);
  EXPECT_THAT(request.integers("sizes", 1), ElementsAre(64, 4096));
  EXPECT_THAT(request.integers("burst", 1), ElementsAre(128)) << "one stands for a list of it";
  EXPECT_THAT(request.texts("start"), ElementsAre("cold", "warm"));
  EXPECT_THAT(request.texts("PROBE"), ElementsAre("h2d"));
  EXPECT_THAT(request.members("set"),
              ElementsAre(Pair("link.pcie.lanes", "8"), Pair("order", "falling"), Pair("host.copy.enabled", "false")));
  EXPECT_THAT(request.assignments("set"), ElementsAre("link.pcie.lanes=8", "order=falling", "host.copy.enabled=false"));
  EXPECT_EQ(request.typed("count"), "3");
  EXPECT_TRUE(request.has_text("on"));
  EXPECT_FALSE(request.has_text("set"));
  request.refuse_others();
}

TEST(Request, WhatIsMissingIsNone) {
  Request request(" {} ");
  EXPECT_FALSE(request.has("on"));
  EXPECT_EQ(request.text("on"), std::nullopt);
  EXPECT_EQ(request.integer("count", 1), std::nullopt);
  EXPECT_EQ(request.count("count"), std::nullopt);
  EXPECT_EQ(request.natural("seed"), std::nullopt);
  EXPECT_EQ(request.positive("for"), std::nullopt);
  EXPECT_EQ(request.typed("values"), std::nullopt);
  EXPECT_FALSE(request.flag("list"));
  EXPECT_THAT(request.texts("PROBE"), IsEmpty());
  EXPECT_THAT(request.integers("sizes", 1), IsEmpty());
  EXPECT_THAT(request.members("set"), IsEmpty());
}

TEST(Request, IsAJsonObjectAndNothingElse) {
  const auto refused = [](const char* text, const char* part) {
    EXPECT_THAT([&] { Request request(text); }, one_line_of(part)) << text;
  };
  const char* example = R"(request: expected a JSON object such as {"on":"native"}, got )";
  for (const char* text : {"", "--on", "{", R"({"on":})", R"({"on":"native"} more)", "{\"on\":\"\xff\"}", "{'on':1}"})
    refused(text, "which is no JSON from byte ");
  refused("--on\nnative", R"('--on\x0anative', which is no JSON from byte 2 on)");
  for (const char* text : {"[]", "3", "null", R"("native")"}) refused(text, example);
  refused(R"({"count":1e999})", "a number that is too large");
  refused(R"({"on":"native","count":3,"on":"opencl:0"})", "request: 'on' is given twice");
  refused(R"({"faults":{"stall":0.1,"stall":0.2}})", "request: 'stall' is given twice");
  refused((std::string(100000, '[') + "x").c_str(), "no JSON");
}

TEST(Request, RefusesWhatNobodyAskedForWithTheNearest) {
  Request request(R"({"cuont": 3})");
  request.count("count");
  request.text("TARGET");
  EXPECT_THAT([&] { request.refuse_others(); }, one_line_of("unknown option '--cuont'; did you mean '--count'?"));
  Request far(R"({"speed\n": 3})");
  far.count("count");
  far.text("TARGET");
  EXPECT_THAT([&] { far.refuse_others(); }, one_line_of(R"(unknown option '--speed\x0a': expected --count or TARGET)"));
  Request capital(R"({"TARGT": "native"})");
  capital.text("TARGET");
  EXPECT_THAT([&] { capital.refuse_others(); }, one_line_of("unknown option 'TARGT'; did you mean 'TARGET'?"));
}

TEST(Request, ValuesOfAnotherTypeAreRefusedByTheirOption) {
  const auto refused = [](const char* json, const auto& ask, const char* part) {
    Request request(json);
    EXPECT_THAT([&] { ask(request); }, one_line_of(part)) << json;
  };
  const auto count = [](Request& request) { request.count("count"); };
  refused(R"({"count":"many"})", count, "--count: expected a whole number, got 'many'");
  refused(R"({"count":2.5})", count, "--count: expected a whole number, got 2.5");
  refused(R"({"count":null})", count, "--count: expected a whole number, got null");
  refused(R"({"count":true})", count, "--count: expected a whole number, got true");
  refused(R"({"TARGET":7})", [](Request& request) { request.text("TARGET"); }, "TARGET: expected a text, got 7");
  refused(R"({"start":["cold",1]})", [](Request& request) { request.texts("start"); },
          "--start: expected a text, got 1");
  refused(R"({"sizes":[64,"4KiB"]})", [](Request& request) { request.integers("sizes", 1); },
          "--sizes: expected a whole number, got '4KiB'");
  refused(R"({"list":1})", [](Request& request) { request.flag("list"); }, "--list: expected true or false, got 1");
  refused(R"({"seed":"x"})", [](Request& request) { request.natural("seed"); },
          "--seed: expected a whole number of 0..18446744073709551615, got 'x'");
  refused(R"({"for":"1h"})", [](Request& request) { request.positive("for"); },
          "--for: expected a number above 0, got '1h'");
  refused(R"({"set":["a=1"]})", [](Request& request) { request.members("set"); },
          R"(--set: expected an object of names and values, got ["a=1"])");
  refused(R"({"set":{"a":[1]}})", [](Request& request) { request.members("set"); },
          "--set a: expected a text, a number, true or false, got [1]");
  refused(R"({"values":{}})", [](Request& request) { request.typed("values"); },
          "--values: expected a text, a number, true or false, got {}");
  refused(R"({"on":[")"
          R"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]})",
          [](Request& request) { request.text("on"); }, "aaa...");
}

TEST(Request, NumbersOutOfRangeAreRefusedWithIt) {
  const auto refused = [](const char* json, const auto& ask, const char* part) {
    Request request(json);
    EXPECT_THAT([&] { ask(request); }, one_line_of(part)) << json;
  };
  const auto count = [](Request& request) { request.count("count"); };
  const auto units = [](Request& request) { request.count("compute-units", 1, 64); };
  const auto size = [](Request& request) { request.integers("sizes", 1, 1 << 20); };
  refused(R"({"count":0})", count, "--count: expected 1 or more, got 0");
  refused(R"({"count":-2})", count, "--count: expected 1 or more, got -2");
  refused(R"({"count":2147483648})", count, "--count: expected 1..2147483647, got 2147483648");
  refused(R"({"count":18446744073709551615})", count, "--count: expected 1..2147483647, got 18446744073709551615");
  refused(R"({"compute-units":65})", units, "--compute-units: expected 1..64, got 65");
  refused(R"({"compute-units":0})", units, "--compute-units: expected 1..64, got 0");
  refused(R"({"sizes":[64,1048577]})", size, "--sizes: expected 1..1048576, got 1048577");
  refused(R"({"seed":-1})", [](Request& request) { request.natural("seed"); },
          "--seed: expected a whole number of 0..");
  refused(R"({"for":0})", [](Request& request) { request.positive("for"); }, "--for: expected a number above 0, got 0");
}

}  // namespace
}  // namespace isthmus::program
