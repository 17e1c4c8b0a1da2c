#include "memory_peers.hpp"

#include <immintrin.h>
#include <omp.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <new>

#include "hpcc/random_numbers.hpp"

namespace isthmus::bench {
namespace {

constexpr std::size_t kLine = 64;  // bytes

/// Touched first by the threads that will use it.
template <typename T>
Array<T> array_of(std::size_t count, T start) {
  auto* memory = static_cast<T*>(std::aligned_alloc(kLine, count * sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
#pragma omp parallel for schedule(static)
  for (std::size_t index = 0; index < count; ++index) memory[index] = start;
  return Array<T>(memory);
}

template <typename Body>
double timed(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::size_t kBatch = 128;

using Batch = std::array<std::uint64_t, kBatch>;

std::uint64_t fill(Batch& batch, std::uint64_t number) {
  for (std::uint64_t& each : batch) {
    number = hpcc::next_number(number);
    each = number;
  }
  return number;
}

/// Words of the next batch are fetched between the updates of this one, which is faster than a batch at a time.
template <Update kUpdate>
void apply(const Batch& now, const Batch& next, std::uint64_t* table, std::uint64_t mask) {
  for (std::size_t each = 0; each < kBatch; ++each) {
    __builtin_prefetch(&table[next[each] & mask], 1, 0);
    if constexpr (kUpdate == Update::atomic)
      __atomic_fetch_xor(&table[now[each] & mask], now[each], __ATOMIC_RELAXED);
    else
      table[now[each] & mask] ^= now[each];
  }
}

template <Update kUpdate>
void update_all(std::uint64_t* table, std::uint64_t words) {
#pragma omp parallel
  {
    const auto threads = static_cast<std::uint64_t>(omp_get_num_threads());
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    const std::uint64_t batches = 4 * words / kBatch;
    const std::uint64_t first = batches * thread / threads;
    const std::uint64_t last = batches * (thread + 1) / threads;
    std::uint64_t number = hpcc::number_at(first * kBatch);
    std::array<Batch, 2> pair{};
    number = fill(pair[0], number);
    for (std::uint64_t batch = first; batch < last; ++batch) {
      const std::size_t now = (batch - first) % 2;
      number = fill(pair[1 - now], number);
      apply<kUpdate>(pair[now], pair[1 - now], table, words - 1);
    }
  }
}

}  // namespace

void Free::operator()(void* memory) const {
  std::free(memory);
}

Triad::Triad(std::size_t count)
    : count_(count), a_(array_of(count, 1.0F)), b_(array_of(count, 2.0F)), c_(array_of(count, 0.5F)) {}

double Triad::seconds() {
  constexpr float kFactor = 0.5F;
  float* const a = a_.get();
  const float* const b = b_.get();
  const float* const c = c_.get();
  const std::size_t count = count_;
  return timed([=] {
#ifdef __AVX512F__
#pragma omp parallel for schedule(static)
    for (std::size_t at = 0; at < count; at += 16)
      _mm512_stream_ps(a + at,
                       _mm512_fmadd_ps(_mm512_set1_ps(kFactor), _mm512_load_ps(c + at), _mm512_load_ps(b + at)));
#else
#pragma omp parallel for schedule(static)
    for (std::size_t at = 0; at < count; at += 4)
      _mm_stream_ps(a + at, _mm_add_ps(_mm_mul_ps(_mm_set1_ps(kFactor), _mm_load_ps(c + at)), _mm_load_ps(b + at)));
#endif
  });
}

Updates::Updates(int log_words, Update update)
    : words_(std::uint64_t{1} << static_cast<unsigned>(log_words)),
      update_(update),
      table_(array_of<std::uint64_t>(words_, 0)) {}

double Updates::seconds() {
  return timed([this] {
    if (update_ == Update::atomic)
      update_all<Update::atomic>(table_.get(), words_);
    else
      update_all<Update::plain>(table_.get(), words_);
  });
}

}  // namespace isthmus::bench
