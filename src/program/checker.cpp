#include "program/checker.hpp"

#include <utility>

namespace isthmus::program {

Checker::Checker(const ByteApplication& application, std::function<void(int)> progress)
    : application_(application),
      progress_(std::move(progress)),
      expected_(application.output),
      differences_(application.element, application.text, application.extras.agree) {}

void Checker::check(int message, std::span<const std::byte> in, std::span<const std::byte> out) {
  application_.reference(in, expected_);
  differences_.compare(message, expected_, out);
  if (application_.extras.received && !differences_.found()) application_.extras.received(out);
  ++checked_;
  if (progress_) progress_(checked_);
}

}  // namespace isthmus::program
