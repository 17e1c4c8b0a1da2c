#include "apps/hash_lookup/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

__extension__ using Wide = unsigned __int128;

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each doubles the digits that are right.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

/// The key whose product with the multiplier is `hash`.
Key key_of(std::uint64_t hash) {
  return hash * inverse(kHashMultiplier);
}

std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t modulus) {
  std::int64_t x = 1;
  std::int64_t y = 0;
  auto left = static_cast<std::int64_t>(a);
  for (auto right = static_cast<std::int64_t>(modulus); right != 0;) {
    const std::int64_t quotient = left / right;
    left -= quotient * right;
    std::swap(left, right);
    x -= quotient * y;
    std::swap(x, y);
  }
  return static_cast<std::uint64_t>(x < 0 ? x + static_cast<std::int64_t>(modulus) : x);
}

std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

/// The first hash whose bucket is `bucket`.
std::uint64_t first_hash(std::uint64_t bucket, std::uint64_t buckets) {
  return static_cast<std::uint64_t>(((Wide{bucket} << 64U) + buckets - 1) / buckets);
}

}  // namespace

EvenTable::EvenTable(std::uint64_t entries, int lambda, std::uint64_t seed)
    : chain_(2 * static_cast<std::uint64_t>(lambda) - 1),
      buckets_(std::max<std::uint64_t>(1, (entries + chain_ - 1) / chain_)),
      seed_(seed) {
  // Near the golden section, so that neighbours are far apart.
  stride_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(buckets_) * 0.6180339887));
  while (std::gcd(stride_, buckets_) != 1) ++stride_;
  back_ = inverse_modulo(stride_, buckets_);
}

Pair EvenTable::pair(std::uint64_t number) const {
  const std::uint64_t bucket = number / chain_;
  // Each entry of a chain has a stretch of the bucket's hashes to itself: no two keys are equal.
  const std::uint64_t first = first_hash(bucket, buckets_);
  const std::uint64_t stretch = (~std::uint64_t{0} / buckets_) / chain_;
  const std::uint64_t drawn = mixed(seed_ ^ mixed(number));
  const auto offset = static_cast<std::uint64_t>(Wide{drawn} * stretch >> 64U);
  return {.key = key_of(first + number % chain_ * stretch + offset), .value = mixed(drawn) | 1U};
}

std::uint64_t EvenTable::place(std::uint64_t number) const {
  std::uint64_t column = number / chain_;
  const std::uint64_t in_chain = number % chain_;
  for (std::uint64_t i = 0; i < in_chain; ++i) column = product_modulo(column, stride_, buckets_);
  return in_chain * buckets_ + column;
}

std::uint64_t EvenTable::number_at(std::uint64_t place) const {
  const std::uint64_t in_chain = place / buckets_;
  std::uint64_t bucket = place % buckets_;
  for (std::uint64_t i = 0; i < in_chain; ++i) bucket = product_modulo(bucket, back_, buckets_);
  return bucket * chain_ + in_chain;
}

void EvenTable::write(std::uint64_t offset, std::span<std::byte> stretch) const {
  for (std::uint64_t at = offset / sizeof(TableEntry); !stretch.empty();
       stretch = stretch.subspan(sizeof(TableEntry)), ++at) {
    const std::uint64_t number = number_at(at);
    const auto [key, value] = pair(number);
    const bool last = number % chain_ == chain_ - 1;
    const TableEntry entry{
        .key = key, .value = value, .next = last ? TableEntry::kLast : place(number + 1), .unused = {}};
    std::memcpy(stretch.data(), &entry, sizeof(entry));
  }
}

ChainedTable::ChainedTable(std::span<const Pair> pairs, int lambda) {
  // With n keys that fall evenly into b buckets a look-up reads 1 + n / 2b entries on average (Knuth, 6.4): for lambda
  // 1 a share of 1/32 finds its bucket taken.
  const double load = lambda == 1 ? 1.0 / 8 : 2.0 * (lambda - 1);
  buckets_ =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(static_cast<double>(pairs.size()) / load)));
  const TableEntry nothing{.key = 0, .value = kAbsent, .next = TableEntry::kLast, .unused = {}};
  entries_.assign(buckets_, nothing);
  std::vector<bool> taken(buckets_);
  std::vector<std::uint64_t> last(buckets_);  // index of the last entry of each chain
  for (const Pair& pair : pairs) {
    const std::uint64_t bucket = bucket_of(pair.key, buckets_);
    std::uint64_t at = bucket;
    if (taken[bucket]) {
      at = entries_[last[bucket]].next = entries_.size();
      entries_.push_back(nothing);
    }
    taken[bucket] = true;
    last[bucket] = at;
    entries_[at].key = pair.key;
    entries_[at].value = pair.value;
  }
}

int ChainedTable::accesses(Key key) const {
  int read = 1;
  for (std::uint64_t at = bucket_of(key, buckets_); entries_[at].key != key; ++read) {
    at = entries_[at].next;
    if (at == TableEntry::kLast) break;
  }
  return read;
}

void ChainedTable::write(std::uint64_t offset, std::span<std::byte> stretch) const {
  std::memcpy(stretch.data(), std::as_bytes(std::span(entries_)).data() + offset, stretch.size());
}

}  // namespace isthmus::apps
