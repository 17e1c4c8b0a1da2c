// Records, of which every text is held against nlohmann's.
#include "isthmus/base/record.hpp"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// One value as both types have it.
struct Both {
  Record ours;
  Json theirs;

  Both() = default;
  template <class T>
  explicit Both(const T& value) : ours(value), theirs(value) {}
};

/// Random values, the same for one seed.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : seed_(seed) {}

  Both value(int depth) {
    switch (below(depth > 0 ? 10 : 8)) {
      case 0:
        return Both(nullptr);
      case 1:
        return Both(below(2) == 1);
      case 2:
        return Both(static_cast<int>(word()));
      case 3:
        return Both(static_cast<std::int64_t>(word()));
      case 4:
        return Both(word());
      case 5:
        return Both(std::bit_cast<double>(word()));
      case 6:
        return Both(std::round(static_cast<double>(word() % 1'000'000'007)) / std::pow(10, below(25)));
      case 7:
        return Both(text());
      case 8:
        return list(depth - 1);
      default:
        return object(depth - 1);
    }
  }

 private:
  std::uint64_t word() { return random_word(seed_, 0, index_++); }
  int below(int bound) { return static_cast<int>(word() % static_cast<std::uint64_t>(bound)); }

  std::string text() {
    constexpr std::array<std::string_view, 12> kPieces{"a", "\"", "\\",     "/",      "\n",         "\x1f",
                                                       " ", "é",  "\u2028", "\u007f", "\U0001f600", {"\0", 1}};
    std::string all;
    for (int left = below(6); left > 0; --left) all += kPieces.at(static_cast<std::size_t>(below(kPieces.size())));
    return all;
  }

  Both list(int depth) {
    Both both;
    both.ours = Record::array();
    both.theirs = Json::array();
    for (int left = below(5); left > 0; --left) {
      const Both each = value(depth);
      both.ours.push_back(each.ours);
      both.theirs.push_back(each.theirs);
    }
    return both;
  }

  /// Of few names, so that some are set twice.
  Both object(int depth) {
    Both both;
    both.ours = Record::object();
    both.theirs = Json::object();
    for (int left = below(8); left > 0; --left) {
      const std::string name = below(2) == 1 ? text() : std::to_string(below(5));
      const Both each = value(depth);
      both.ours[name] = each.ours;
      both.theirs[name] = each.theirs;
    }
    return both;
  }

  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

TEST(Record, OfAnyValuesHasTheTextThatNlohmannWrites) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Both both = Drawn(seed).value(4);
    ASSERT_EQ(both.ours.text(), both.theirs.dump()) << seed;
  }
}

TEST(Record, NumbersHaveTheTextThatNlohmannWrites) {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.0, -0.0, 1.0, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 0.1, 1 / 3.0, Limits::max(), Limits::min(),
        Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(Record(value).text(), Json(value).dump());
  EXPECT_EQ(Record(5.0).text(), "5.0");
  EXPECT_EQ(Record(Limits::quiet_NaN()).text(), "null");
  EXPECT_EQ(Record(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(Record(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
}

TEST(Record, InBracesIsAnObject) {
  const Record one{{"a", "b"}};
  EXPECT_EQ(one.text(), R"({"a":"b"})");
  const Record whole{{"one", one}, {"in", {{"x", 1}, {"y", nullptr}}}, {"list", std::vector<double>{1, 0.5}}};
  EXPECT_EQ(whole.text(), R"({"one":{"a":"b"},"in":{"x":1,"y":null},"list":[1.0,0.5]})");
  EXPECT_EQ(Record(whole).text(), whole.text());
  EXPECT_EQ((Record{{"a", 1}, {"a", 2}}).text(), (Json{{"a", 1}, {"a", 2}}).dump());
  EXPECT_EQ(Record{}.text(), "null");
  EXPECT_EQ(Record(std::vector<int>{}).text(), "[]");
}

TEST(Record, AMemberThatIsSetAgainKeepsItsPlace) {
  Record record{{"a", 1}, {"b", 2}};
  record["c"]["d"] = true;
  record["a"] = "x";
  EXPECT_EQ(record.text(), R"({"a":"x","b":2,"c":{"d":true}})");
  record.update({{"b", nullptr}, {"e", 3}});
  EXPECT_EQ(record.text(), R"({"a":"x","b":null,"c":{"d":true},"e":3})");
}

TEST(Record, NullBecomesWhatItIsUsedAs) {
  Record record;
  record["list"].push_back(1);
  record["list"].push_back(nullptr);
  EXPECT_EQ(record.text(), R"({"list":[1,null]})");
}

TEST(Record, OnlyAnObjectHasMembersAndOnlyAListGrows) {
  Record row{{"speedup", 2.5}};
  EXPECT_THAT([&] { row["speedup"]["mean"] = 2; },
              ThrowsMessage<Error>("record: expected an object of 'mean', got 2.5"));
  EXPECT_THAT([] { Record(std::vector<int>{7})["x"]; }, ThrowsMessage<Error>(HasSubstr("got [7]")));
  EXPECT_THAT([&] { row.push_back(1); }, ThrowsMessage<Error>(R"(record: expected a list, got {"speedup":2.5})"));
  EXPECT_THAT([&] { row["speedup"].push_back(1); }, ThrowsMessage<Error>(HasSubstr("got 2.5")));
}

TEST(Record, RefusesTextThatIsNoUtf8InTheWordsOfNlohmann) {
  for (const std::string text : {"\xff", "ab\xc3", "\xed\xa0\x80", "\xc0\xaf"}) {
    std::string words;
    try {
      (void)Json(text).dump();
    } catch (const std::exception& error) {
      words = error.what();
    }
    EXPECT_THAT(words, HasSubstr("UTF-8"));
    EXPECT_THAT([&] { Record{text}; }, ThrowsMessage<std::exception>(words));
    EXPECT_THAT([&] { return (Record{{text, 1}}).text(); }, ThrowsMessage<std::exception>(words));
  }
}

TEST(Record, ReadsANumberAsJsonWritesOneAndTakesAllElseAsText) {
  for (const char* number : {"7", "-3", "-0", "18446744073709551615", "2.50", "1e3", " 4"})
    EXPECT_EQ(Record::number_or_text(number).text(), Json::parse(number, nullptr, false).dump()) << number;
  for (const char* text : {"007", "nan", "inf", ".5", "1e400", "true", "null", "[1]", "0x 7f", "1 2", ""})
    EXPECT_EQ(Record::number_or_text(text).text(), Json(text).dump()) << text;
}

}  // namespace
}  // namespace isthmus
