#include "isthmus/stream/host_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "isthmus/base/error.hpp"
#include "registers.hpp"

namespace isthmus {

Buffer::Buffer(std::shared_ptr<BufferHome*> home, PinnedMemory::Loan loan, const PooledBuffer& token)
    : home_(std::move(home)), loan_(std::move(loan)), token_(token), exceptions_(std::uncaught_exceptions()) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  home_ = std::move(other.home_);
  loan_ = std::move(other.loan_);
  token_ = other.token_;
  exceptions_ = other.exceptions_;
  return *this;
}

Buffer::~Buffer() {
  release();
}

void Buffer::release() {
  loan_.end();
  const auto home = std::exchange(home_, nullptr);
  if (home == nullptr || *home == nullptr || (*home)->timer_.over()) return;
  // A step that an exception ends, as every step does that is under way at the end of a run, moves no more tokens.
  if (std::uncaught_exceptions() <= exceptions_) (*home)->put_back(token_);
}

void Buffer::shrink(std::size_t bytes) {
  if (bytes == 0 || bytes > token_.bytes || bytes % kWordBytes != 0)
    throw Error(fmt::format("a buffer of {} bytes cannot send {}: expected a multiple of {} above 0 and within it",
                            token_.bytes, bytes, kWordBytes));
  token_.bytes = static_cast<std::uint32_t>(bytes);
}

Buffer BufferHome::take(const PooledBuffer& token) {
  return {here_, memory_.lend(token.addr), token};
}

PooledBuffer BufferHome::give(Buffer&& buffer) {
  buffer.home_ = nullptr;
  buffer.loan_.end();
  return buffer.token_;
}

void BufferHome::begin_call() {
  if (timer_.over()) throw Error("host link: a call after the end of the run");
  timer_.wait(call_ + std::exchange(owed_, Time()));
}

Buffer HostInput::acquire() {
  begin_call();
  PooledBuffer token{};
  if (unused_.empty()) {
    token = free.read();
    pool_.came_back();
  } else {
    token = unused_.back();
    unused_.pop_back();
    token.bytes = token.capacity;
  }
  token.continues = false;
  pool_.take();
  return take(token);
}

void HostInput::put_back(const PooledBuffer& token) noexcept {
  unused_.push_back(token);
  pool_.give();
}

void HostInput::commit(Buffer&& buffer) {
  begin_call();
  committed.push(give(std::move(buffer)));
}

Buffer HostOutput::receive() {
  begin_call();
  for (; !late_.empty(); late_.erase(late_.begin())) released.push(late_.front());
  return take(filled.read());
}

void HostOutput::put_back(const PooledBuffer& token) noexcept {
  owed_ += call_;
  if (!late_.empty() || !engine::Unwaiting::push(released, token)) late_.push_back(token);
}

void HostControl::send(std::uint32_t message) {
  timer_.wait(store_);
  requests.push(store_to(Register::to_kernel, message));
}

std::uint32_t HostControl::receive(std::uint32_t tag, std::optional<Time> patience) {
  const Time began = timer_.now();
  const auto wanted = [tag](const ControlMessage& message) { return message.tag == tag; };
  auto found = std::ranges::find_if(kept_, wanted);
  while (found == kept_.end()) {
    requests.push(load_from(Register::from_kernel));
    const auto entry = content<Optional<ControlMessage>>(replies.read());
    if (entry.there) kept_.push_back(entry.value);
    found = std::ranges::find_if(kept_, wanted);
    if (found == kept_.end() && patience && timer_.now() - began > *patience)
      throw Error(fmt::format("control messages: expected one of the kernel with tag {}, none has come for {}", tag,
                              to_string(*patience)));
  }
  const std::uint32_t message = found->message;
  kept_.erase(found);
  return message;
}

}  // namespace isthmus
