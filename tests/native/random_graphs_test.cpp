// Random determinate graphs: every actor waits in `read`, so that the streams depend on no time. The model and the
// native back end have to move the same tokens.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isthmus/native.hpp"

namespace isthmus {
namespace {

using Word = std::uint64_t;

/// Holds up its actor now and then, in real time and by processor work alone.
struct Stall {
  unsigned every = 0;
  unsigned count = 0;
  void maybe() {
    if (every == 0 || ++count % every != 0) return;
    for (volatile int i = 0; i < 3000;) i = i + 1;
  }
};

struct Source {
  Out<Word> out;
  Word first = 0;
  Word left = 0;
  Stall stall{};
  void step() {
    stall.maybe();
    out.push(first++);
    --left;
  }
  bool done() const { return left == 0; }
};

struct Stage {
  In<Word> in;
  Out<Word> out;
  Stall stall{};
  void step() {
    stall.maybe();
    const Word token = in.read();
    out.slot() = 3 * token + 1;
  }
};

/// Adds up two tokens to one.
struct Fold {
  In<Word> in;
  Out<Word> out;
  Stall stall{};
  void step() {
    const Word first = in.read();
    stall.maybe();
    out.push(first + 5 * in.read());
  }
};

struct Copy {
  In<Word> in;
  std::array<Out<Word>, 2> out;
  Stall stall{};
  void step() {
    const Word token = in.read();
    stall.maybe();
    out[0].push(token);
    out[1].slot() = token ^ 0xff;
  }
};

struct Deal {
  In<Word> in;
  std::array<Out<Word>, 2> out;
  Stall stall{};
  void step() {
    for (auto& port : out) {
      port.push(in.read());
      stall.maybe();
    }
  }
};

struct Zip {
  std::array<In<Word>, 2> in;
  Out<Word> out;
  Stall stall{};
  void step() {
    const Word first = in[0].read();
    stall.maybe();
    out.push(first - in[1].read());
  }
};

struct Sink {
  In<Word> in;
  std::vector<Word> got;
  Stall stall{};
  void step() {
    got.push_back(in.read());
    stall.maybe();
  }
};

/// What a graph is made of: read as a list of operations on open streams.
struct Recipe {
  struct Operation {
    int kind;
    std::size_t on;
    std::size_t with;
    int depth;
    unsigned stall;
  };
  std::vector<int> sources;  ///< tokens of each
  std::vector<Operation> operations;
  int sink_depth;
};

class Built {
 public:
  explicit Built(const Recipe& recipe) {
    for (const int tokens : recipe.sources) {
      auto& source = graph.add<Source>(name("source"), clocked);
      source.first = 1000 * open_.size();
      source.left = static_cast<Word>(tokens);
      open_.push_back(&source.out);
    }
    for (const auto& operation : recipe.operations) apply(operation);
    while (!open_.empty()) {
      auto& sink = graph.add<Sink>(name("sink"), clocked);
      connect(take(0), sink.in, recipe.sink_depth);
      sinks.push_back(&sink);
    }
  }

  std::vector<std::vector<Word>> streams() const {
    std::vector<std::vector<Word>> all;
    for (const Sink* sink : sinks) all.push_back(sink->got);
    return all;
  }

  Graph graph;
  std::vector<Sink*> sinks;

 private:
  static inline const ActorOptions clocked{.clock = Clock{Frequency::mhz(100)}};

  std::string name(const char* what) { return what + std::to_string(actors_++); }
  Out<Word>& take(std::size_t which) {
    const auto at = open_.begin() + static_cast<std::ptrdiff_t>(which % open_.size());
    Out<Word>* port = *at;
    open_.erase(at);
    return *port;
  }
  void connect(Out<Word>& from, In<Word>& to, int depth) { graph.connect(from, to, {.depth = depth}); }

  void apply(const Recipe::Operation& operation) {
    switch (operation.kind) {
      case 0:
        return one_to_one<Stage>("stage", operation);
      case 1:
        return one_to_one<Fold>("fold", operation);
      case 2:
        return one_to_two<Copy>("copy", operation);
      case 3:
        return one_to_two<Deal>("deal", operation);
      default:
        if (open_.size() > 1) two_to_one(operation);
    }
  }
  template <class T>
  T& add(const char* what, const Recipe::Operation& operation) {
    auto& actor = graph.add<T>(name(what), clocked);
    actor.stall.every = operation.stall;
    return actor;
  }
  template <class T>
  void one_to_one(const char* what, const Recipe::Operation& operation) {
    auto& actor = add<T>(what, operation);
    connect(take(operation.on), actor.in, operation.depth);
    open_.push_back(&actor.out);
  }
  template <class T>
  void one_to_two(const char* what, const Recipe::Operation& operation) {
    auto& actor = add<T>(what, operation);
    connect(take(operation.on), actor.in, operation.depth);
    for (auto& port : actor.out) open_.push_back(&port);
  }
  void two_to_one(const Recipe::Operation& operation) {
    auto& actor = add<Zip>("zip", operation);
    connect(take(operation.on), actor.in[0], operation.depth);
    connect(take(operation.with), actor.in[1], operation.depth);
    open_.push_back(&actor.out);
  }

  std::vector<Out<Word>*> open_;
  int actors_ = 0;
};

rc::Gen<Recipe::Operation> operations() {
  return rc::gen::build<Recipe::Operation>(
      rc::gen::set(&Recipe::Operation::kind, rc::gen::inRange(0, 6)),
      rc::gen::set(&Recipe::Operation::on, rc::gen::inRange<std::size_t>(0, 8)),
      rc::gen::set(&Recipe::Operation::with, rc::gen::inRange<std::size_t>(0, 8)),
      rc::gen::set(&Recipe::Operation::depth, rc::gen::inRange(1, 65)),
      rc::gen::set(&Recipe::Operation::stall, rc::gen::element(0U, 0U, 1U, 7U, 50U)));
}

rc::Gen<Recipe> recipes() {
  return rc::gen::build<Recipe>(
      rc::gen::set(&Recipe::sources, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 400)))),
      rc::gen::set(&Recipe::operations, rc::gen::container<std::vector<Recipe::Operation>>(operations())),
      rc::gen::set(&Recipe::sink_depth, rc::gen::inRange(1, 65)));
}

bool same_counts(const std::vector<ChannelReport>& a, const std::vector<ChannelReport>& b) {
  return std::ranges::equal(a, b, [](const ChannelReport& x, const ChannelReport& y) {
    return x.name == y.name && x.pushed == y.pushed && x.popped == y.popped;
  });
}

RC_GTEST_PROP(NativeAndModel, MoveTheSameTokens, ()) {
  const auto recipe = *recipes();
  const int workers = *rc::gen::inRange(0, 9);  // 0: actors move as the runtime finds best
  Built model(recipe);
  Built native(recipe);
  const auto on_model = model.graph.run({.throw_on_error = false});
  const auto on_native = native::run(native.graph, {.workers = workers, .throw_on_error = false});
  RC_CLASSIFY(on_model.outcome != Outcome::finished);
  RC_ASSERT((on_model.outcome == Outcome::finished) == (on_native.outcome == Outcome::finished));
  if (on_model.outcome != Outcome::finished) return;
  RC_ASSERT(model.streams() == native.streams());
  RC_ASSERT(same_counts(on_model.channels, on_native.channels));
}

}  // namespace
}  // namespace isthmus
