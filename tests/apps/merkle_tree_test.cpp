// Merkle trees against a SHA-256 written from the standard, and what hashing their nodes takes with a circuit beside.
#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <set>
#include <string>

#include "apps/installed.hpp"
#include "apps/merkle_tree/tree.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using testing::DoubleNear;
using testing::Gt;
using testing::Lt;

__extension__ typedef unsigned __int128 Wide;

/// FIPS 180-4, 6.2, word by word; its constants are roots of primes (4.2.2, 5.3.3).
class Sha256 {
 public:
  static Digest of(std::vector<std::uint8_t> message) {
    const std::uint64_t bits = message.size() * 8;
    message.push_back(0x80);
    while (message.size() % 64 != 56) message.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<std::uint8_t>(bits >> shift));
    Sha256 hash;
    for (std::size_t at = 0; at < message.size(); at += 64) hash.block(&message[at]);
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
      digest[i] = static_cast<std::byte>(hash.h_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  /// The first 32 bits behind the point of the n-th prime's root.
  static std::uint32_t root_of_prime(int n, bool cube) {
    std::uint64_t prime = 2;
    for (int found = 0;; ++prime) {
      bool divides = false;
      for (std::uint64_t by = 2; by * by <= prime; ++by) divides |= prime % by == 0;
      if (!divides && found++ == n) break;
    }
    // the largest r with r^2 <= prime * 2^64, or r^3 <= prime * 2^96: bit by bit
    Wide root = 0;
    for (int bit = 36; bit >= 0; --bit) {
      const Wide next = root | (Wide{1} << bit);
      const bool fits = cube ? next * next * next <= Wide{prime} << 96U : next * next <= Wide{prime} << 64U;
      if (fits) root = next;
    }
    return static_cast<std::uint32_t>(root);
  }

  Sha256() {
    for (int i = 0; i < 8; ++i) h_[i] = root_of_prime(i, false);
  }

  void block(const std::uint8_t* bytes) {
    static const std::vector<std::uint32_t> kRoots = [] {
      std::vector<std::uint32_t> roots;
      for (int i = 0; i < 64; ++i) roots.push_back(root_of_prime(i, true));
      return roots;
    }();
    std::uint32_t w[64];
    for (int t = 0; t < 16; ++t)
      w[t] = std::uint32_t{bytes[4 * t]} << 24U | std::uint32_t{bytes[4 * t + 1]} << 16U |
             std::uint32_t{bytes[4 * t + 2]} << 8U | bytes[4 * t + 3];
    for (int t = 16; t < 64; ++t)
      w[t] = (std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10U) + w[t - 7] +
             (std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3U) + w[t - 16];
    auto [a, b, c, d, e, f, g, h] = h_;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t first =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRoots[t] + w[t];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    const std::uint32_t more[] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) h_[i] += more[i];
  }

  std::array<std::uint32_t, 8> h_{};
};

std::vector<std::uint8_t> text(const char* of) {
  const std::string letters = of;
  return {letters.begin(), letters.end()};
}

std::string hexadecimal(const Digest& digest) {
  std::string digits;
  for (const std::byte one : digest)
    for (const unsigned half : {static_cast<unsigned>(one) >> 4U, static_cast<unsigned>(one) & 15U})
      digits += "0123456789abcdef"[half];
  return digits;
}

/// The digest of a node of a tree with this number of lines, from the leaves up by recursion.
Digest root_of(std::size_t node, std::size_t lines, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  if (node > lines) {
    for (const std::uint64_t word : MerkleTree::leaf(seed, node))
      for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    return Sha256::of(bytes);
  }
  for (const std::size_t child : {2 * node, 2 * node + 1})
    for (const std::byte one : root_of(child, lines, seed)) bytes.push_back(static_cast<std::uint8_t>(one));
  return Sha256::of(bytes);
}

TEST(MerkleTree, HashesAsTheStandardsExample) {
  constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(hexadecimal(Sha256::of(text("abc"))), kAbc);
  const std::vector<std::uint8_t> abc = text("abc");
  EXPECT_EQ(hexadecimal(Hasher()(std::as_bytes(std::span(abc)))), kAbc);
}

TEST(MerkleTree, HasTheRootThatARecursionFromItsLeavesFinds) {
  for (const std::int64_t lines : {1, 2, 3, 100, 1000})
    for (const std::uint64_t seed : {1U, 77U}) {
      const MerkleTree tree(Bytes{lines * 64}, seed);
      EXPECT_EQ(tree.lines(), static_cast<std::size_t>(lines));
      EXPECT_EQ(tree.bytes().size(), static_cast<std::size_t>(lines) * 64);
      EXPECT_EQ(tree.root(), root_of(1, tree.lines(), seed));
    }
}

TEST(MerkleTree, HoldsTheDigestOfEachLinesBytes) {
  const MerkleTree tree(Bytes{200 * 64}, 3);
  Hasher hash;
  for (std::size_t line = 0; line < tree.lines(); ++line)
    EXPECT_EQ(tree.digest(line), hash(tree.bytes().subspan(line * 64, 64)));
}

std::map<std::string, double> run(const Chosen& chosen, int blocks = 2, platform::Grain grain = platform::Grain::fine,
                                  const std::vector<std::string>& overrides = {}) {
  const program::ByteApplication application = installed("merkle-tree", chosen);
  application.extras.open({.count = blocks, .seed = 1});
  const auto target = program::open_target("model:xeon-fpga-v2", overrides);
  const program::Run result =
      target->run({.application = application, .flow = "shared", .count = blocks, .grain = grain});
  EXPECT_FALSE(result.difference) << "digests as the tree has them";
  std::map<std::string, double> told;
  for (const auto& [name, value] : application.extras.told()) told[name] = value;
  return told;
}

// A quarter of a block's draws, of a tree that is no larger than the window.
Chosen quarter(const std::string& hand_over) {
  return {{"handover", hand_over}, {"size", 4}, {"draws", 16000}};
}

TEST(MerkleTreeRun, TouchesLinesForTheFirstTimeAsDrawsWithReplacementDo) {
  const double lines = 65536;
  const double draws = 16000;
  const auto told = run(quarter("none"));
  EXPECT_THAT(told.at("first_touch_share"), DoubleNear(lines / draws * (1 - std::exp(-draws / lines)), 0.005));
  EXPECT_EQ(told.at("speedup.mean"), 1);
}

// By hand: a draw takes hash and a read of memory or of the cache; what is fetched in time, hash and cache.
TEST(MerkleTreeRun, GainsWhatFirstTouchesTakeBeyondTheCacheWhereLinesAreFetchedInTime) {
  const auto told = run(quarter("mmio"));
  const double hash = 1e-6 / 2.06;
  const double first = told.at("first_touch_share");
  const double alone = hash + first * told.at("memory_read_s") + (1 - first) * told.at("cache_read_s");
  EXPECT_THAT(told.at("speedup.mean"), DoubleNear(alone / (hash + told.at("cache_read_s")), 0.003));
  EXPECT_THAT(told.at("from_cache_share"), Gt(0.999));
  EXPECT_THAT(told.at("formula_speedup"), Gt(told.at("speedup.max")));
}

// A cache of 1024 lines, of 65536: of the lines that are drawn again some are still there.
TEST(MerkleTreeRun, CountsNoLineThatWasEvictedAsOneOfTheCache) {
  const std::vector<std::string> small{"host.llc.size=64KiB"};
  const auto told = run({{"handover", "none"}, {"size", 4}, {"draws", 4000}}, 2, platform::Grain::fine, small);
  EXPECT_THAT(told.at("from_cache_share"), Lt(1 - told.at("first_touch_share")));
  EXPECT_THAT(told.at("cache_read_s"), DoubleNear(20e-9, 1e-12)) << "host.llc.hit_latency";
  EXPECT_THAT(told.at("from_cache_share"), Gt(0.0));
}

TEST(MerkleTreeRun, SaysNothingOfTheCacheWhereNoLineIsReadAgain) {
  const auto told = run({{"handover", "none"}, {"size", 4}, {"draws", 1}});
  EXPECT_FALSE(told.contains("cache_read_s"));
  EXPECT_FALSE(told.contains("formula_speedup"));
  EXPECT_THAT(told.at("memory_read_s"), Gt(80e-9));
  EXPECT_EQ(told.at("from_cache_share"), 0);
}

TEST(MerkleTreeRun, DrawsOthersByEachSeed) {
  const program::ByteApplication application = installed("merkle-tree", {{"handover", "none"}, {"size", 4}});
  std::set<std::vector<std::byte>> blocks;
  for (const std::uint64_t seed : {1ULL, 2ULL, 65537ULL, 1ULL << 40U})
    for (const int block : {0, 1}) {
      application.extras.open({.count = 2, .seed = seed});
      std::vector<std::byte> draws(application.input);
      application.fill(block, draws);
      blocks.insert(draws);
    }
  EXPECT_EQ(blocks.size(), 8U);
}

TEST(MerkleTreeRun, ToldFromTwoBlocksIsAsOneOfWhichAllAreRun) {
  for (const char* hand_over : {"none", "mmio", "poll-uncached"}) {
    const auto fine = run(quarter(hand_over), 5);
    const auto told = run(quarter(hand_over), 5, platform::Grain::coarse);
    for (const auto& [name, value] : fine)
      EXPECT_THAT(told.at(name), DoubleNear(value, (name == "from_cache_share" ? 0.05 : 0.0005) * value)) << name;
  }
}

// Each store to the mailbox waits for a snoop over the link, and the core for room in its store buffer.
TEST(MerkleTreeRun, LosesWhereTheHashIsShorterThanTheHandOver) {
  auto chosen = quarter("umsg");
  chosen["hash-rate"] = 10.0;
  EXPECT_THAT(run(chosen).at("speedup.mean"), Lt(0.8));
}

TEST(MerkleTreeRun, GainsNothingWhereTheCircuitReachesNothing) {
  auto chosen = quarter("mmio");
  chosen["reach"] = 0;
  EXPECT_THAT(run(chosen).at("speedup.mean"), DoubleNear(1, 1e-4));
}

}  // namespace
}  // namespace isthmus::apps
