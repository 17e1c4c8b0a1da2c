#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "platform/fixture.hpp"
#include "platform/usual_keys.hpp"

namespace isthmus::platform::testing {
namespace {

/// What may stand where it should not: TOML's own signs, numbers that are none, other types, control characters.
const std::vector<std::string> kBits = {"nan",
                                        "-inf",
                                        "1e400",
                                        "-1",
                                        "0",
                                        "9223372036854775808",
                                        "\"",
                                        "'",
                                        "\"\"\"",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "=",
                                        ",",
                                        ".",
                                        "#",
                                        "\n",
                                        "\r",
                                        "\t",
                                        std::string(1, '\0'),
                                        "\x1b[31m",
                                        "\xff",
                                        "true",
                                        "1979-05-27",
                                        "[link]",
                                        "[[x]]",
                                        "\"a\\nb\" = 1\n",
                                        "value",
                                        "unit",
                                        "lanes = { value = 1 }\n",
                                        "\"\\u0007\"",
                                        "GB/s",
                                        "role = \"assumed\""};

std::string mutated(std::string text) {
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto removed = *rc::gen::inRange<std::size_t>(0, 20);
    text.replace(place, removed, *rc::gen::elementOf(kBits));
  }
  return text;
}

bool one_clean_line(const std::string& message) {
  return std::ranges::none_of(message, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

RC_GTEST_PROP(BrokenPlatformFile, LoadsOrIsRefusedInOneLineAndNeverCrashes, ()) {
  const std::string message = refusal(mutated(f1()));
  RC_ASSERT(one_clean_line(message));
  RC_ASSERT(message.empty() || message.starts_with("platform.toml"));
  RC_TAG(message.empty() ? "accepted" : "refused");
}

/// A part need not have all that it can have: one that is switched off has its switch and no more.
RC_GTEST_PROP(BrokenPlatformFile, CutOffAnywhereIsRefusedOrHasAllThatComesBefore, ()) {
  const std::string text = f1();
  const auto length = *rc::gen::inRange<std::size_t>(0, text.size());
  const std::string message = refusal(text.substr(0, length));
  RC_ASSERT(one_clean_line(message));
  if (!message.empty()) RC_SUCCEED("refused");
  const Description whole = load_text(text);
  const Description board = load_text(text.substr(0, length));
  RC_ASSERT(board.parts().size() <= whole.parts().size());
  const auto missing = [&whole](const Section& part) {
    return whole.the(part.kind().name()).inputs().size() - part.inputs().size();
  };
  RC_ASSERT(std::ranges::count_if(board.parts(), missing) <= 1);
}

RC_GTEST_PROP(BrokenOverride, IsTakenOrRefusedInOneLine, ()) {
  const std::string key = *rc::gen::elementOf(usual_keys());
  const std::string message = refusal(f1(), {mutated(key + "=1")});
  RC_ASSERT(one_clean_line(message));
  RC_ASSERT(message.empty() || message.starts_with("--set: ") || message.starts_with("platform.toml"));
}

}  // namespace
}  // namespace isthmus::platform::testing
