// What a user may write behind --method, --rewrite and --delay.
#include "program/choice_option.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using soc::Method;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ByteApplication sharing() {
  ByteApplication application{.name = "sharing", .summary = {}, .fill = {}, .reference = {}};
  application.extras.counted = "frames";
  application.extras.buffers = {{.name = "in", .sequential = false}, {.name = "out"}};
  application.extras.delays = true;
  return application;
}

soc::Choice chosen(const std::string& text, const ByteApplication& application = sharing(), int messages = 4) {
  ChoiceArgument argument;
  CLI::App app;
  argument.add_to(app);
  app.parse(text);
  return argument.chosen(application, messages);
}

TEST(ChoiceOption, GivesAllBuffersOneMethodOrEachItsOwn) {
  EXPECT_THAT(chosen("").methods, ElementsAre(Method::hpc, Method::hpc));
  EXPECT_THAT(chosen("--method hp-nc").methods, ElementsAre(Method::hp_nc, Method::hp_nc));
  EXPECT_THAT(chosen("--method out=acp,in=hp-c").methods, ElementsAre(Method::hp_c, Method::acp));
  EXPECT_TRUE(chosen("--rewrite sequential").sequential);
  EXPECT_EQ(chosen("--delay 3").delay, 3);
}

TEST(ChoiceOption, RefusesWhatIsNone) {
  const auto refused = [](const std::string& text, const char* message,
                          const ByteApplication& application = sharing()) {
    EXPECT_THAT([&] { chosen(text, application); }, ThrowsMessage<Error>(HasSubstr(message))) << text;
  };
  refused("--method hpx", "--method: unknown method 'hpx'");
  refused("--method in=hpc", "--method: expected a method of buffer 'out' too");
  refused("--method inn=hpc", "--method: unknown buffer 'inn'");
  refused("--method in=hpc,acp", "--method: expected one method, or BUFFER=METHOD of each, got 'acp'");
  refused("--rewrite backwards", "--rewrite: unknown rewrite 'backwards'");
  refused("--delay 4", "--delay: expected less than the 4 frames of the run, got 4");
  refused("--delay -1", "--delay: expected less than the 4 frames of the run, got -1");
  ByteApplication other = sharing();
  other.extras.buffers.front().sequential = true;
  refused("--rewrite sequential", "--rewrite sequential: application 'sharing' writes no buffer out of sequence",
          other);
  other.extras.delays = false;
  refused("--delay 1", "--delay: the messages of application 'sharing' do not follow each other", other);
  other.extras.buffers.clear();
  refused("--method hpc", "--method: application 'sharing' has no buffers that ports move", other);
}

}  // namespace
}  // namespace isthmus::program
