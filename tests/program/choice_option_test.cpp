// What a user may ask for behind --method, --rewrite and --delay.
#include "program/choice_option.hpp"

#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using soc::Method;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ByteApplication sharing() {
  ByteApplication application{.name = "sharing", .summary = {}};
  application.extras.counted = "frames";
  application.extras.buffers = {{.name = "in", .sequential = false}, {.name = "out"}};
  application.extras.delays = true;
  return application;
}

soc::Choice chosen(const std::string& json, const ByteApplication& application = sharing(), int messages = 4) {
  Request request(json);
  return ChoiceArgument(request).chosen(application, messages);
}

TEST(ChoiceOption, GivesAllBuffersOneMethodOrEachItsOwn) {
  EXPECT_THAT(chosen("{}").methods, ElementsAre(Method::hpc, Method::hpc));
  EXPECT_THAT(chosen(R"({"method":"hp-nc"})").methods, ElementsAre(Method::hp_nc, Method::hp_nc));
  EXPECT_THAT(chosen(R"({"method":{"out":"acp","in":"hp-c"}})").methods, ElementsAre(Method::hp_c, Method::acp));
  EXPECT_TRUE(chosen(R"({"rewrite":"sequential"})").sequential);
  EXPECT_EQ(chosen(R"({"delay":3})").delay, 3);
}

TEST(ChoiceOption, RefusesWhatIsNone) {
  const auto refused = [](const std::string& text, const char* message,
                          const ByteApplication& application = sharing()) {
    EXPECT_THAT([&] { chosen(text, application); }, ThrowsMessage<Error>(HasSubstr(message))) << text;
  };
  refused(R"({"method":"hpx"})", "--method: unknown method 'hpx'");
  refused(R"({"method":{"in":"hpc"}})", "--method: expected a method of buffer 'out' too");
  refused(R"({"method":{"inn":"hpc"}})", "--method: unknown buffer 'inn'");
  refused(R"({"method":["hpc","acp"]})", R"(--method: expected an object of names and values, got ["hpc","acp"])");
  refused(R"({"rewrite":"backwards"})", "--rewrite: unknown rewrite 'backwards'");
  refused(R"({"delay":4})", "--delay: expected less than the 4 frames of the run, got 4");
  refused(R"({"delay":-1})", "--delay: expected 0 or more, got -1");
  ByteApplication other = sharing();
  other.extras.buffers.front().sequential = true;
  refused(R"({"rewrite":"sequential"})", "--rewrite sequential: application 'sharing' writes no buffer out of sequence",
          other);
  other.extras.delays = false;
  refused(R"({"delay":1})", "--delay: the messages of application 'sharing' do not follow each other", other);
  other.extras.buffers.clear();
  refused(R"({"method":"hpc"})", "--method: application 'sharing' has no buffers that ports move", other);
}

}  // namespace
}  // namespace isthmus::program
