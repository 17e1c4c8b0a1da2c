// The native back end: which actor runs on which worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "actors.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::ThrowsMessage;

TEST(NativeMapping, CutsAChainIntoRegionsAndFollowsAPlacement) {
  const auto chain = [](const native::Options& options) {
    Graph graph;
    auto& sink = graph.add<Sink>("sink");
    auto& second = graph.add<Pong>("second");
    auto& first = graph.add<Pong>("first");
    auto& source = graph.add<Source>("source");
    source.count = 100;
    graph.connect(source.out, first.in, wire(4));
    graph.connect(first.out, second.in, wire(4));
    graph.connect(second.out, sink.in, wire(4));
    return native::run(graph, options).workers;
  };
  const auto cut = chain({.workers = 2, .pin = false});
  ASSERT_THAT(cut, SizeIs(2));
  EXPECT_THAT(cut[0].actors, testing::UnorderedElementsAre("source", "first"));
  EXPECT_THAT(cut[1].actors, testing::UnorderedElementsAre("second", "sink"));
  EXPECT_EQ(native::to_string(cut), "worker 0: first, source; worker 1: sink, second");
  const auto given = chain({.workers = 2, .placement = {{"sink", 0}}, .pin = false});
  EXPECT_THAT(given[0].actors, testing::Contains("sink"));
  EXPECT_THAT(chain({.workers = 64}), SizeIs(4)) << "no more workers than actors";
  EXPECT_THAT(chain({}), SizeIs(std::min(4, native::cores())));
  EXPECT_THAT(
      [&] {
        chain({.workers = 2, .placement = {{"sinc", 0}}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("sinc"), HasSubstr("sink"))));
  EXPECT_THAT(
      [&] {
        chain({.workers = 2, .placement = {{"sink", 2}}});
      },
      ThrowsMessage<Error>(HasSubstr("expected 0..1")));
}

TEST(NativeMapping, PlacesTheActorsOfAScopeByItsNameAndThoseThatAreNamedThemselvesElsewhere) {
  const auto workers = [](std::map<std::string, int> placement) {
    Graph graph;
    for (const char* name : {"a", "ab"}) {
      const Scope scope = graph.scope(name);
      auto& source = graph.add<Source>("source");
      source.count = 10;
      graph.connect(source.out, graph.add<Sink>("sink").in, wire(4));
    }
    return native::run(graph, {.workers = 3, .placement = std::move(placement), .pin = false}).workers;
  };
  const auto placed = workers({{"a", 2}, {"ab", 1}, {"ab/sink", 0}});
  EXPECT_THAT(placed[0].actors, ElementsAre("ab/sink"));
  EXPECT_THAT(placed[1].actors, ElementsAre("ab/source"));
  EXPECT_THAT(placed[2].actors, testing::UnorderedElementsAre("a/source", "a/sink"));
  EXPECT_THAT([&] { workers({{"a/", 0}}); }, ThrowsMessage<Error>(HasSubstr("a/")));
}

TEST(NativePlacement, IsReadAsItIsTypedAndRefusedWithWhatWasWrong) {
  EXPECT_THAT(native::parse_placement({"source=0,buffer reader=12", "source=1"}),
              ElementsAre(Pair("buffer reader", 12), Pair("source", 1)));
  for (const char* wrong : {"", "source", "source=", "=1", "source=one", "source=1x", "source=0,", "source=-"})
    EXPECT_THAT([&] { native::parse_placement({wrong}); }, ThrowsMessage<Error>(HasSubstr("expected ACTOR=WORKER")))
        << wrong;
}

}  // namespace
}  // namespace isthmus
