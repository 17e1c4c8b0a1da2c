#include "apps/hash_lookup/look_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

/// So many are drawn at most: 32 MiB of keys.
constexpr std::uint64_t kMostDrawn = std::uint64_t{1} << 22U;

/// In [0, 1), with 53 digits.
double fraction(std::uint64_t drawn) {
  return std::ldexp(static_cast<double>(drawn >> 11U), -53);
}

std::uint64_t below(std::uint64_t drawn, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{drawn} * bound >> 64U);
}

/// FNV-1a (Fowler, Noll, Vo).
Key key_of(const std::string& word) {
  Key key = 0xcbf29ce484222325U;
  for (const char each : word) key = (key ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  return key;
}

}  // namespace

Zipf::Zipf(std::uint64_t items) : items_(static_cast<double>(items)), zeta_(0) {
  for (std::uint64_t k = items; k > 0; --k) zeta_ += std::pow(static_cast<double>(k), -kTheta);
  const double of_two = 1 + std::pow(2.0, -kTheta);
  eta_ = (1 - std::pow(2 / items_, 1 - kTheta)) / (1 - of_two / zeta_);
}

std::uint64_t Zipf::number(double u) const {
  const double share = u * zeta_;
  if (share < 1 || items_ < 2) return 0;
  if (share < 1 + std::pow(0.5, kTheta) || items_ < 3) return 1;
  const double at = items_ * std::pow(eta_ * u - eta_ + 1, 1 / (1 - kTheta));
  return static_cast<std::uint64_t>(std::min(at, items_ - 1));
}

LookUps::LookUps(const EvenTable& table, KeyDraw draw, std::uint64_t count, std::uint64_t seed) {
  count = std::min(count, kMostDrawn);
  keys_.reserve(count);
  map_.reserve(std::min(count, table.pairs()));
  const Zipf zipf(draw == KeyDraw::zipf ? table.pairs() : 1);
  double accesses = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = mixed(mixed(seed) + i);
    const std::uint64_t number =
        draw == KeyDraw::zipf ? below(mixed(zipf.number(fraction(drawn))), table.pairs()) : below(drawn, table.pairs());
    const auto [key, value] = table.pair(number);
    keys_.push_back(key);
    map_.emplace(key, value);
    accesses += table.accesses(number);
  }
  accesses_ = accesses / static_cast<double>(count);
}

LookUps::LookUps(const ChainedTable& table, std::span<const Pair> pairs, std::vector<Key> keys)
    : keys_(std::move(keys)) {
  map_.reserve(pairs.size());
  for (const auto& [key, value] : pairs) map_.emplace(key, value);
  double accesses = 0;
  for (const Key key : keys_) accesses += table.accesses(key);
  accesses_ = accesses / static_cast<double>(keys_.size());
}

void LookUps::fill(int message, std::span<Key> keys) const {
  std::size_t from = static_cast<std::size_t>(message) * keys.size() % keys_.size();
  while (!keys.empty()) {
    const std::size_t now = std::min(keys.size(), keys_.size() - from);
    std::memcpy(keys.data(), keys_.data() + from, now * sizeof(Key));
    keys = keys.subspan(now);
    from = 0;
  }
}

void LookUps::expect(std::span<const Key> keys, std::span<Value> values) const {
  std::ranges::transform(keys, values.begin(), [this](Key key) {
    const auto found = map_.find(key);
    return found == map_.end() ? kAbsent : found->second;
  });
}

Words read_words(const std::filesystem::path& file) {
  std::ifstream text(file, std::ios::binary);
  if (!text) throw Error(fmt::format("{}: cannot be read", file.string()));
  Words words;
  std::unordered_map<Key, std::string> known;
  for (std::string word; text >> word;) {
    const Key key = key_of(word);
    const auto [at, is_new] = known.emplace(key, word);
    if (is_new) words.pairs.push_back({.key = key, .value = known.size()});
    if (at->second != word)
      throw Error(fmt::format("{}: expected words of different keys, got one for '{}' and '{}'", file.string(),
                              at->second, word));
    words.keys.push_back(key);
  }
  if (text.bad()) throw Error(fmt::format("{}: cannot be read to its end", file.string()));
  if (words.keys.empty()) throw Error(fmt::format("{}: expected words, got none", file.string()));
  return words;
}

}  // namespace isthmus::apps
