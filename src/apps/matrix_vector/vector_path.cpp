#include "apps/matrix_vector/vector_path.hpp"

#include <bit>
#include <cstring>
#include <numeric>

#include "apps/matrix/floats.hpp"

namespace isthmus::apps {
namespace {

/// Rows that are read at a time.
constexpr std::size_t kRowsAtOnce = 16;

/// Cycles from the last operand to the last sum: a multiplier, an adder, and a tree of four adders for the 16 sums.
constexpr int kPipeline = 8 + 12 + 4 * 12;

}  // namespace

VectorPath::VectorPath(std::size_t size, std::size_t ports)
    : size_(size), words_(size / kFloatsAWord), lanes_(ports, Lane{.vector = std::vector<float>(size)}) {}

std::uint64_t VectorPath::onchip_bytes() const {
  return bytes_of_floats((lanes_.size() + 1) * size_);
}

std::uint64_t VectorPath::regions() const {
  return 1 + rows_of_port() / kRowsAtOnce;
}

offload::Region VectorPath::region(std::size_t port, std::uint64_t number) const {
  if (number == 0) return {.argument = kVector, .offset = 0, .bytes = bytes_of_floats(size_)};
  const std::uint64_t bytes = bytes_of_floats(kRowsAtOnce * size_);
  return {.argument = port, .offset = (number - 1) * bytes, .bytes = bytes};
}

offload::Region VectorPath::result() const {
  return {.argument = kResult, .offset = 0, .bytes = bytes_of_floats(size_)};
}

void VectorPath::begin() {
  for (Lane& lane : lanes_) {
    lane.sums.clear();
    lane.running = {};
    lane.word = 0;
    lane.has_vector = false;
  }
  result_.clear();
  given_ = 0;
}

int VectorPath::take(std::size_t port, const Word& word) {
  Lane& lane = lanes_[port];
  if (lane.has_vector)
    multiply(lane, word);
  else
    std::memcpy(&lane.vector[lane.word * kFloatsAWord], word.bytes.data(), sizeof(word));
  if (++lane.word == words_) {
    if (lane.has_vector) {
      const auto sums = std::bit_cast<WordOfFloats>(lane.running);
      lane.sums.push_back(std::accumulate(sums.begin(), sums.end(), 0.0F));
    }
    lane.running = {};
    lane.has_vector = true;
    lane.word = 0;
  }
  return port == 0 ? 1 : 0;
}

void VectorPath::multiply(Lane& lane, const Word& word) const {
  auto sums = std::bit_cast<WordOfFloats>(lane.running);
  const auto row = std::bit_cast<WordOfFloats>(word);
  const float* vector = &lane.vector[lane.word * kFloatsAWord];
  for (std::size_t i = 0; i < kFloatsAWord; ++i) sums[i] += row[i] * vector[i];
  lane.running = std::bit_cast<Word>(sums);
}

bool VectorPath::give(Word& word) {
  if (given_ == result_.size()) return false;
  std::memcpy(word.bytes.data(), &result_[given_], sizeof(word));
  given_ += kFloatsAWord;
  return true;
}

int VectorPath::finish() {
  for (const Lane& lane : lanes_) result_.insert(result_.end(), lane.sums.begin(), lane.sums.end());
  return kPipeline;
}

}  // namespace isthmus::apps
