// A circuit that follows the CPU's pointers: a linked list, then the chains of a hash table. Both lie where the CPU has
// built them; nothing is copied. Xeon+FPGA v1: 355 ns a line that no cache holds, 70 ns one that the circuit's holds.
#include <fmt/format.h>

#include <isthmus/shared.hpp>

using isthmus::Address;
using isthmus::CircuitSide;
using isthmus::Core;

constexpr int kFirst = 0;  // registers of the circuits: where to begin; a write begins
constexpr int kSum = 1;

struct alignas(32) Node {  // two a line
  std::uint64_t value;
  Address<Node> next;
};

struct ListSum {
  std::uint64_t sum = 0;
  std::uint64_t walks = 0;

  bool step(CircuitSide& board) {
    if (const auto written = board.written()) {
      sum = 0;
      go_to(board, {written->value});
      return true;
    }
    const auto node = board.take_read<Node>();
    if (!node) return false;
    sum += node->value.value;
    go_to(board, node->value.next);
    return true;
  }
  void go_to(CircuitSide& board, Address<Node> next) {
    if (next) return board.read(next);
    board.set_register(kSum, sum);
    board.report(++walks);
  }
};

struct alignas(32) Entry {
  std::uint64_t key;
  std::uint64_t value;
  Address<Entry> next;
};
constexpr std::uint64_t kBuckets = 64;

/// What is to be looked up, and where the answers go.
struct alignas(32) Job {
  Address<Address<Entry>> buckets;
  Address<std::uint64_t> keys;
  Address<std::uint64_t> values;
  std::uint64_t count;
};

struct LookUps {
  enum class Awaits : std::uint8_t { start, job, key, bucket, entry } awaits = Awaits::start;
  Job job{};
  std::uint64_t key = 0;
  std::uint64_t next = 0;

  bool step(CircuitSide& board) {
    if (const auto written = board.written()) {
      board.read(Address<Job>{written->value});
      awaits = Awaits::job;
      return true;
    }
    switch (awaits) {
      case Awaits::start:
        return false;
      case Awaits::job:
        if (const auto came = board.take_read<Job>()) {
          job = came->value;
          return begin(board);
        }
        return false;
      case Awaits::key:
        if (const auto came = board.take_read<std::uint64_t>()) {
          key = came->value;
          board.read(job.buckets + key % kBuckets);
          awaits = Awaits::bucket;
          return true;
        }
        return false;
      case Awaits::bucket:
        if (const auto first = board.take_read<Address<Entry>>()) return follow(board, first->value);
        return false;
      case Awaits::entry:
        if (const auto entry = board.take_read<Entry>()) return compare(board, entry->value);
        return false;
    }
    return false;
  }
  bool begin(CircuitSide& board) {
    awaits = next < job.count ? Awaits::key : Awaits::start;
    if (next < job.count)
      board.read(job.keys + next);
    else
      board.report(1);
    return true;
  }
  bool follow(CircuitSide& board, Address<Entry> entry) {
    if (!entry) return give(board, 0);
    board.read(entry);
    awaits = Awaits::entry;
    return true;
  }
  bool compare(CircuitSide& board, const Entry& entry) {
    return entry.key == key ? give(board, entry.value) : follow(board, entry.next);
  }
  bool give(CircuitSide& board, std::uint64_t value) {
    board.write(job.values + next++, value);
    return begin(board);
  }
};

void walk_list(isthmus::SharedMachine& machine) {
  isthmus::shared<Node> nodes(machine.memory(), 1000);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = {.value = i * i, .next = i + 1 < nodes.size() ? nodes.at(i + 1) : Address<Node>{}};
    expected += i * i;
  }
  machine.run(ListSum{}, [&](Core& core) {
    for (const std::uint64_t walk : {1, 2}) {
      const isthmus::Time begin = core.now();
      core.write_register(kFirst, nodes.at(0).value);
      core.await_status(walk);
      const isthmus::Time took = core.now() - begin;
      fmt::print("list, walk {}: sum {}, expected {}, {:.1f} ns a node\n", walk, core.read_register(kSum), expected,
                 took.seconds() * 1e9 / static_cast<double>(nodes.size()));
    }
  });
}

void look_up(isthmus::SharedMachine& machine) {
  constexpr std::uint64_t kEntries = 200;
  isthmus::shared<Entry> entries(machine.memory(), kEntries);
  isthmus::shared<Address<Entry>> buckets(machine.memory(), kBuckets);
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    auto& bucket = buckets[3 * i % kBuckets];
    entries[i] = {.key = 3 * i, .value = 1000 + i, .next = bucket};
    bucket = entries.at(i);
  }
  isthmus::shared<std::uint64_t> keys(machine.memory(), 300);  // every third is there
  isthmus::shared<std::uint64_t> values(machine.memory(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  isthmus::shared<Job> job(machine.memory());
  *job = {.buckets = buckets.at(), .keys = keys.at(), .values = values.at(), .count = keys.size()};

  machine.run(LookUps{}, [&](Core& core) {
    core.write_register(kFirst, job.at().value);
    core.await_status(1);
    fmt::print("hash table: key 96 has value {}\n", core.load(values.at(96)));
  });
  int right = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) right += values[i] == (i % 3 == 0 ? 1000 + i / 3 : 0) ? 1 : 0;
  fmt::print("hash table: {} of {} look-ups right\n", right, keys.size());
}

int main() {
  isthmus::SharedMachine machine("model:xeon-fpga-v1");
  walk_list(machine);
  look_up(machine);
}
