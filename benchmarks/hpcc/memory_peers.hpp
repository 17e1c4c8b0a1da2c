#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

/// What C with OpenMP reaches on all cores with the work of our memory benchmarks.
namespace isthmus::bench {

struct Free {
  void operator()(void* memory) const;
};
template <typename T>
using Array = std::unique_ptr<T[], Free>;

/// a = j c + b over `count` floats, stored past the caches.
class Triad {
 public:
  explicit Triad(std::size_t count);
  double seconds();
  double bytes() const { return 3.0 * sizeof(float) * static_cast<double>(count_); }

 private:
  std::size_t count_;
  Array<float> a_;
  Array<float> b_;
  Array<float> c_;
};

enum class Update : std::uint8_t { atomic, plain };

/// RandomAccess of HPC Challenge on a table of 2^`log_words` words, 4 updates a word; each thread has its part of the
/// sequence and fetches a batch of words before it changes them.
class Updates {
 public:
  Updates(int log_words, Update update);
  double seconds();

 private:
  std::uint64_t words_;
  Update update_;
  Array<std::uint64_t> table_;
};

}  // namespace isthmus::bench
