#include "shared/queues/stores.hpp"

#include <cstring>

namespace isthmus::queues {

using fabric::LineAccess;

void LineStores::step() {
  const Store store = stores.read();
  const auto bytes = static_cast<std::size_t>(store.words) * sizeof(std::uint64_t);
  LineAccess& access = fabric::begin_access(accesses, LineAccess::Kind::write, store.address, bytes, 0);
  std::memcpy(access.data.data(), store.word.data(), bytes);
  results.read_in_place();
  over = store.last;
}

void RegisterStores::step() {
  const Store store = stores.read();
  timer.wait_until(timer.now() + each);
  registers.push(store);
  over = store.last;
}

std::uint64_t word_of(const fabric::LineBytes& line, std::size_t place) {
  std::uint64_t word = 0;
  std::memcpy(&word, line.data() + place * sizeof(word), sizeof(word));
  return word;
}

}  // namespace isthmus::queues
