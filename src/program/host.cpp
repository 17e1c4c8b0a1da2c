#include "program/host.hpp"

#include <fmt/format.h>

#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {

void Producer::step() {
  timer_.works_on(batch_.first + next_);
  if (next_ == 0) started_ = timer_.now();
  Buffer buffer = link.acquire();
  const auto message = buffer.span().first(batch_.application.input);
  batch_.application.fill(batch_.first + next_++, message);
  buffer.shrink(message.size());
  link.commit(std::move(buffer));
}

Checker::Checker(const ByteApplication& application, const std::function<void(int)>& progress)
    : application_(application),
      progress_(progress),
      input_(application.input),
      expected_(application.output),
      differences_(application.element, application.text) {}

void Checker::check(int message, std::span<const std::byte> output) {
  if (output.size() != expected_.size())
    throw Error(fmt::format("message {} of '{}': expected {} bytes of output, got {}; `last` closes a message", message,
                            application_.name, expected_.size(), output.size()));
  application_.fill(message, input_);
  application_.reference(input_, expected_);
  differences_.compare(message, expected_, output);
  if (progress_) progress_(message + 1);
}

void Consumer::step() {
  stop_if_interrupted();
  received_.push_back(link.receive());
  ++next_;
  ended_ = timer_.now();
  if (!later_ || done()) compare();
}

void Consumer::require_all(const std::string& why) {
  if (done()) return;
  compare();
  throw Error(fmt::format("message {} has not come back from the kernel: {}; `last` closes a message",
                          batch_.first + next_, why));
}

void Consumer::compare() {
  int message = batch_.first + next_ - static_cast<int>(received_.size());
  for (const Buffer& output : received_) {
    stop_if_interrupted();
    checker_.check(message++, output.span());
  }
  received_.clear();
}

}  // namespace isthmus::program
