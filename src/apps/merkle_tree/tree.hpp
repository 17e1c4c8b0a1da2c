#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus::apps {

/// SHA-256 (FIPS 180-4).
using Digest = std::array<std::byte, 32>;

/// Computes digests, by OpenSSL.
class Hasher {
 public:
  Hasher();
  Digest operator()(std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// A Merkle tree as lines of memory: each is an inner node and holds the digests of its two children, of inner nodes
/// or, behind the last of them, of leaves. Line n, from 1 on, has 2n and 2n + 1 as children; 1 is the root.
class MerkleTree {
 public:
  static constexpr std::size_t kLine = 2 * sizeof(Digest);

  /// A tree of `size` bytes; the seed draws its leaves.
  MerkleTree(Bytes size, std::uint64_t seed);

  /// Line 1 first.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(digests_)).subspan(kLine); }
  std::size_t lines() const { return digests_.size() / 2 - 1; }
  /// The digest that the tree holds for the line at a place of `bytes`.
  const Digest& digest(std::size_t place) const { return digests_[place + 1]; }
  const Digest& root() const { return digest(0); }
  /// The content of a leaf: the leaf number `child` is a child of line child / 2.
  static std::array<std::uint64_t, 2> leaf(std::uint64_t seed, std::size_t child) { return {seed, child}; }

 private:
  std::vector<Digest> digests_;  ///< digests of node 0 (unused), the root, and then each line's children
};

}  // namespace isthmus::apps
