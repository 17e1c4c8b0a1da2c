#include "application/checker.hpp"

#include <utility>

namespace isthmus::program {

Checker::Checker(const ByteApplication& application, std::function<void(int)> progress)
    : application_(application),
      progress_(std::move(progress)),
      expected_(application.output),
      differences_(application.element, application.text, application.extras.agree) {}

std::span<const std::byte> Checker::filled_up(std::span<const std::byte> out) {
  if (out.size() == expected_.size()) return out;
  filled_.assign(out.begin(), out.end());
  filled_.resize(expected_.size());
  return filled_;
}

void Checker::check(int message, std::span<const std::byte> in, std::span<const std::byte> out) {
  application_.reference(in, expected_);
  const auto& shorter = application_.extras.output_bytes;
  differences_.compare(message, expected_, shorter ? filled_up(out) : out);
  if (application_.extras.received && !differences_.found())
    application_.extras.received(shorter ? out.first(shorter(in)) : out);
  ++checked_;
  if (progress_) progress_(checked_);
}

}  // namespace isthmus::program
