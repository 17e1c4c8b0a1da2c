#include "probes/pointer_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"
#include "isthmus/shared.hpp"

namespace isthmus::probes {
namespace {

constexpr std::uint64_t kSeed = 1;  // seed of the order of nodes
constexpr Time kPatience = Time::ms(1000);

/// A node of a list, or an entry of a table.
struct alignas(64) Node {
  std::uint64_t key;
  std::uint64_t value;
  Address<Node> next;
};

/// Registers of the circuit; a write to one of the last two starts it.
enum CircuitRegister : std::uint8_t { kFirst, kSum, kTouch, kStart };

// How far the circuit is, in the status word.
constexpr std::uint64_t kTouched = 1;
constexpr std::uint64_t kWalked = 2;

/// The nodes to walk, as CPU and circuit know them: lists of which the first nodes lie first, one a walk, or a table
/// whose places are the first nodes.
struct WalkShape {
  Structure structure;
  std::uint64_t lines;
  std::uint64_t walks;  ///< walks side by side
  std::uint64_t work;   ///< nodes of each list, or look-ups of all walks together

  std::uint64_t places() const { return (lines + 1) / 2; }
  /// The table has as many keys as places; look-ups ask for any of them.
  static std::uint64_t key(std::uint64_t number) { return random_word(number); }
  std::uint64_t key_of_look_up(std::uint64_t look_up) const { return key(random_word(~look_up) % places()); }
  std::uint64_t place_of(std::uint64_t key) const { return key % places(); }
};

/// Numbers of nodes in place of addresses; kNoNode: none.
struct NumberedNode {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
  std::uint64_t next = 0;
};
constexpr std::uint64_t kNoNode = ~std::uint64_t{0};

/// The nodes behind the first of each list follow in an order drawn at random.
std::vector<NumberedNode> lists(const WalkShape& shape) {
  std::vector<std::uint64_t> order(shape.lines);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(kSeed);
  std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(shape.walks), order.end(), random);
  std::vector<NumberedNode> nodes(shape.lines);
  for (std::uint64_t i = 0; i < shape.lines; ++i) {
    const std::uint64_t behind = i + shape.walks;
    nodes[order[i]] = {.key = i, .value = random_word(i), .next = behind < shape.lines ? order[behind] : kNoNode};
  }
  return nodes;
}

/// Entries that find their place taken lie behind the table, in a chain from there.
std::vector<NumberedNode> table(const WalkShape& shape) {
  std::vector<NumberedNode> nodes(shape.lines, NumberedNode{.next = kNoNode});
  std::vector<bool> taken(shape.places());
  std::uint64_t free = shape.places();
  for (std::uint64_t number = 0; number < shape.places(); ++number) {
    const std::uint64_t key = WalkShape::key(number);
    const std::uint64_t first = shape.place_of(key);
    NumberedNode& node = taken[first] ? nodes[free] : nodes[first];
    if (taken[first]) node.next = std::exchange(nodes[first].next, free++);
    taken[first] = true;
    node.key = key;
    node.value = ~number;
  }
  return nodes;
}

/// The CPU's own walk: the sum of what it finds.
std::uint64_t own_sum(const WalkShape& shape, const std::vector<NumberedNode>& nodes) {
  std::uint64_t sum = 0;
  if (shape.structure == Structure::list) {
    for (std::uint64_t walk = 0; walk < shape.walks; ++walk) {
      std::uint64_t at = walk;
      for (std::uint64_t count = 0; count < shape.work && at != kNoNode; ++count, at = nodes[at].next)
        sum += nodes[at].value;
    }
    return sum;
  }
  for (std::uint64_t look_up = 0; look_up < shape.work; ++look_up) {
    const std::uint64_t key = shape.key_of_look_up(look_up);
    std::uint64_t at = shape.place_of(key);
    while (nodes[at].key != key) at = nodes[at].next;
    sum += nodes[at].value;
  }
  return sum;
}

/// The circuit: walks side by side, each with a node under way.
class Walker {
 public:
  /// Nodes are so many apart as `stride`, in nodes.
  Walker(const WalkShape& shape, int ports, std::uint64_t stride)
      : shape_(shape), stride_(stride), walks_(shape.walks), ready_(static_cast<std::size_t>(ports)) {}

  int ports() const { return static_cast<int>(ready_.size()); }
  const std::vector<Time>& times() const { return times_; }

  bool step(CircuitSide& board) {
    bool moved = begin(board);
    if (touched_ < to_touch_) return touch(board) || moved;
    for (std::size_t port = 0; port < ready_.size(); ++port) {
      moved |= take(board, port);
      moved |= ask(board, port);
    }
    return moved;
  }

 private:
  struct Walk {
    Address<Node> at;
    std::uint64_t wanted = 0;  ///< key that the look-up wants
    std::uint64_t left = 0;    ///< nodes of the list that are left
    Time known;                ///< time at which the walk knew the address of its node
  };

  Address<Node> place(std::uint64_t number) const { return first_ + number * stride_; }

  bool begin(CircuitSide& board) {
    const auto written = board.written();
    if (!written) return false;
    first_ = {board.register_at(kFirst)};
    if (written->number == kTouch) to_touch_ = written->value;
    if (written->number == kStart)
      for (std::size_t walk = 0; walk < walks_.size(); ++walk) start(board, static_cast<std::uint16_t>(walk));
    return true;
  }

  /// Every line, as fast as they come.
  bool touch(CircuitSide& board) {
    bool moved = false;
    if (asked_ < to_touch_ && board.may_read()) {
      board.read(place(asked_++), {.coherent = true});
      moved = true;
    }
    if (!board.take_read<Node>()) return moved;
    if (++touched_ == to_touch_) board.report(kTouched);
    return true;
  }

  void start(CircuitSide& board, std::uint16_t walk) {
    if (shape_.structure == Structure::hash_table) return look_up(board, walk);
    walks_[walk].left = shape_.work;
    go_to(board, walk, place(walk));
  }

  void look_up(CircuitSide& board, std::uint16_t walk) {
    if (looked_up_ == shape_.work) return;
    walks_[walk].wanted = shape_.key_of_look_up(looked_up_++);
    go_to(board, walk, place(shape_.place_of(walks_[walk].wanted)));
  }

  void go_to(CircuitSide& board, std::uint16_t walk, Address<Node> next) {
    ++under_way_;
    walks_[walk].at = next;
    walks_[walk].known = board.now();
    ready_[walk % ready_.size()].push_back(walk);
  }

  bool take(CircuitSide& board, std::size_t port) {
    const auto came = board.take_read<Node>(port);
    if (!came) return false;
    times_.push_back(board.now() - walks_[came->tag].known);
    --under_way_;
    go_on(board, came->tag, came->value);
    if (under_way_ > 0) return true;
    board.set_register(kSum, sum_);
    board.report(kWalked);
    return true;
  }

  void go_on(CircuitSide& board, std::uint16_t number, const Node& node) {
    Walk& walk = walks_[number];
    const bool list = shape_.structure == Structure::list;
    if (!list && node.key != walk.wanted) return go_to(board, number, node.next);
    sum_ += node.value;
    if (!list) return look_up(board, number);
    if (--walk.left > 0 && node.next) go_to(board, number, node.next);
  }

  bool ask(CircuitSide& board, std::size_t port) {
    if (ready_[port].empty() || !board.may_read(port)) return false;
    const std::uint16_t walk = ready_[port].front();
    ready_[port].pop_front();
    board.read(walks_[walk].at, {.tag = walk, .port = port});
    return true;
  }

  WalkShape shape_;
  std::uint64_t stride_;
  Address<Node> first_{};
  std::vector<Walk> walks_;
  std::vector<std::deque<std::uint16_t>> ready_;  ///< for each port, the walks that have not requested their node yet
  std::uint64_t looked_up_ = 0;
  std::uint64_t under_way_ = 0;  ///< nodes under way
  std::uint64_t sum_ = 0;
  std::uint64_t to_touch_ = 0;
  std::uint64_t asked_ = 0;  ///< nodes that were requested
  std::uint64_t touched_ = 0;
  std::vector<Time> times_;
};

class PointerWalkTrial {
 public:
  PointerWalkTrial(const platform::Description& board, const PointerWalk& walk)
      : walk_(walk),
        shape_(shape_of(walk)),
        machine_(board),
        stride_(machine_.memory().line() / sizeof(Node)),
        nodes_(machine_.memory(), walk.lines * stride_),
        links_(walk.structure == Structure::list ? lists(shape_) : table(shape_)) {}

  std::vector<Time> run() {
    if (walk_.start == Start::flushed)
      for (std::uint64_t i = 0; i < links_.size(); ++i) nodes_[i * stride_] = node(links_[i]);
    std::uint64_t sum = 0;
    const Walker walker = machine_.run(Walker(shape_, std::min(machine_.spec().ports, walk_.at_once), stride_),
                                       [&](Core& core) { sum = drive(core); }, {.channel = walk_.way});
    const std::uint64_t expected = own_sum(shape_, links_);
    if (sum != expected)
      throw Error(
          fmt::format("pointer-walk: expected a sum of {:#x}, as the CPU's own walk has, got {:#x}", expected, sum));
    return walker.times();
  }

 private:
  static WalkShape shape_of(const PointerWalk& walk) {
    const auto walks = static_cast<std::uint64_t>(walk.at_once);
    const bool list = walk.structure == Structure::list;
    return {.structure = walk.structure,
            .lines = walk.lines,
            .walks = walks,
            .work = list ? kMostWalked / walks : std::min((walk.lines + 1) / 2, kMostWalked)};
  }

  Address<Node> address(std::uint64_t number) const {
    return number == kNoNode ? Address<Node>{} : nodes_.at(number * stride_);
  }
  Node node(const NumberedNode& link) const {
    return {.key = link.key, .value = link.value, .next = address(link.next)};
  }

  /// The CPU's program; returns what the circuit found.
  std::uint64_t drive(Core& core) const {
    if (walk_.start != Start::flushed)
      for (std::uint64_t i = 0; i < links_.size(); ++i) core.store(address(i), node(links_[i]));
    core.write_register(kFirst, address(0).value);
    if (walk_.start == Start::warm) {
      core.write_register(kTouch, walk_.lines);
      core.await_status(kTouched, kPatience);
    }
    core.write_register(kStart, 1);
    core.await_status(kWalked, kPatience);
    return core.read_register(kSum);
  }

  PointerWalk walk_;
  WalkShape shape_;
  SharedMachine machine_;
  std::uint64_t stride_;
  shared<Node> nodes_;
  std::vector<NumberedNode> links_;
};

}  // namespace

std::vector<Time> run_pointer_walk(const platform::Description& board, const PointerWalk& walk) {
  return PointerWalkTrial(board, walk).run();
}

}  // namespace isthmus::probes
