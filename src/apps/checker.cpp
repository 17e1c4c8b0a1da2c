#include "isthmus/apps/target.hpp"

namespace isthmus::apps {
namespace {

std::string number(std::span<const std::byte> element) {
  return std::to_string(std::to_integer<int>(element.front()));
}

}  // namespace

Checker::Checker(const FilterSpec& spec, ImageSize size, std::function<void(int)> progress)
    : spec_(spec), size_(size), progress_(std::move(progress)), expected_(size.bytes()), differences_(1, number) {}

void Checker::check(int image, std::span<const std::byte> in, std::span<const std::byte> out) {
  filter_reference(spec_, size_, in, expected_);
  differences_.compare(image, expected_, out);
  ++checked_;
  if (progress_) progress_(checked_);
}

}  // namespace isthmus::apps
