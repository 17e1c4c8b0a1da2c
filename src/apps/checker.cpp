#include <algorithm>
#include <cstring>

#include "isthmus/apps/target.hpp"

namespace isthmus::apps {

Checker::Checker(const FilterSpec& spec, ImageSize size, std::function<void(int)> progress)
    : spec_(spec), size_(size), progress_(std::move(progress)), expected_(size.bytes()) {}

void Checker::check(int image, std::span<const std::byte> in, std::span<const std::byte> out) {
  filter_reference(spec_, size_, in, expected_);
  if (!difference_ && std::memcmp(expected_.data(), out.data(), expected_.size()) != 0) {
    const auto [expected, got] = std::ranges::mismatch(expected_, out);
    if (got != out.end())
      difference_ = Difference{.image = image,
                               .byte = static_cast<std::size_t>(got - out.begin()),
                               .expected = std::to_integer<int>(*expected),
                               .got = std::to_integer<int>(*got)};
  }
  ++checked_;
  if (progress_) progress_(checked_);
}

}  // namespace isthmus::apps
