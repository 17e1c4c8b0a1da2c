#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "platform/fixture.hpp"
#include "platform/mutations.hpp"
#include "platform/usual_keys.hpp"

namespace isthmus::platform::testing {
namespace {

const std::vector<std::string> kPieces = {
    "[link]", "[[x]]", "\"a\\nb\" = 1\n", "lanes = { value = 1 }\n", "GB/s", "role = \"assumed\""};

RC_GTEST_PROP(BrokenPlatformFile, LoadsOrIsRefusedInOneLineAndNeverCrashes, ()) {
  const std::string message = refusal(mutated(f1(), kPieces));
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
  const std::string message = refusal(f1(), {mutated(key + "=1", kPieces)});
  RC_ASSERT(one_clean_line(message));
  RC_ASSERT(message.empty() || message.starts_with("--set: ") || message.starts_with("platform.toml"));
}

}  // namespace
}  // namespace isthmus::platform::testing
