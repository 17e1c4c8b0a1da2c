#include "isthmus/native/link.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/burst.hpp"
#include "stream/registers.hpp"

namespace isthmus::native {
namespace {

constexpr int kMessages = 64;  // control messages that wait at either end

}  // namespace

void BufferPool::step() {
  for (const auto& buffer : pool_) free.push(buffer);
  pool_.clear();
  PooledBuffer buffer = returned.read();
  buffer.bytes = buffer.capacity;
  free.push(buffer);
}

void BufferReader::step() {
  const PooledBuffer buffer = committed.read();
  for (std::uint32_t at = 0; at < buffer.bytes;)
    push_burst(out, [&](std::span<StreamWord> words) {
      const std::size_t count = std::min<std::size_t>(words.size(), (buffer.bytes - at) / kWordBytes);
      for (StreamWord& word : words.first(count)) {
        std::memcpy(word.data.bytes.data(), buffer.data + at, kWordBytes);
        at += kWordBytes;
        word.last = at == buffer.bytes && !buffer.continues;
      }
      return count;
    });
  freed.push(buffer);
}

void BufferWriter::step() {
  bool whole = false;
  if (buffer_.data == nullptr) {
    const StreamWord word = in.read();
    buffer_ = free.read();
    buffer_.bytes = 0;
    whole = add(word);
  } else {
    read_burst(in, [&](std::span<const StreamWord> words) {
      std::size_t count = 0;
      while (count < words.size() && !whole) whole = add(words[count++]);
      return count;
    });
  }
  if (!whole) return;
  filled.push(buffer_);
  buffer_ = {};
}

bool BufferWriter::add(const StreamWord& word) {
  std::memcpy(buffer_.data + buffer_.bytes, word.data.bytes.data(), kWordBytes);
  buffer_.bytes += kWordBytes;
  return word.last || buffer_.bytes == buffer_.capacity;
}

void ControlEnd::step() {
  const MmioRequest request = requests.read();
  if (request.kind == MmioRequest::Kind::store) {
    to_kernel.push(content<std::uint32_t>(request));
    return;
  }
  Optional<ControlMessage> entry{};
  entry.there = from_kernel.pull(entry.value) ? 1 : 0;
  DeviceMessage& reply = replies.slot();
  reply = {.kind = DeviceMessage::Kind::reply, .bytes = request.bytes, .tag = request.tag, .data = {}};
  std::memcpy(reply.data.data(), &entry, sizeof(entry));
}

Link::Link(Graph& graph, const LinkSpec& spec) : graph_(graph), spec_(spec), memory_(std::make_shared<PinnedMemory>()) {
  if (spec.buffer_size.count < kWordBytes || spec.buffer_size.count % kWordBytes != 0)
    throw Error("native link: expected buffers of a multiple of 64 bytes");
}

std::vector<PooledBuffer> Link::make_pool(int buffers) {
  std::vector<PooledBuffer> pool;
  for (int i = 0; i < buffers; ++i) {
    const auto region = memory_->allocate(spec_.buffer_size);
    std::ranges::fill(region.bytes, std::byte{0});  // the pages are mapped now, before the measured time
    const auto bytes = static_cast<std::uint32_t>(region.bytes.size());
    pool.push_back({.addr = region.addr, .capacity = bytes, .bytes = bytes, .data = region.bytes.data()});
  }
  return pool;
}

ChannelOptions Link::queue(int buffers) const {
  return {.depth = buffers, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

Out<StreamWord>& Link::to_kernel() {
  if (reader_ == nullptr) reader_ = &graph_.add<BufferReader>("buffer reader");
  return reader_->out;
}

In<StreamWord>& Link::from_kernel() {
  if (writer_ == nullptr) writer_ = &graph_.add<BufferWriter>("buffer writer");
  return writer_->in;
}

ControlEnd& Link::control() {
  if (control_ == nullptr) control_ = &graph_.add<ControlEnd>("control messages");
  return *control_;
}

void Link::connect(HostInput& producer) {
  to_kernel();
  auto& pool = graph_.add<BufferPool>("input pool", {}, make_pool(spec_.input_buffers));
  graph_.connect(pool.free, producer.free, queue(spec_.input_buffers));
  graph_.connect(producer.committed, reader_->committed, queue(spec_.input_buffers));
  graph_.connect(reader_->freed, pool.returned, queue(spec_.input_buffers));
}

void Link::connect(HostOutput& consumer) {
  from_kernel();
  auto& pool = graph_.add<BufferPool>("output pool", {}, make_pool(spec_.output_buffers));
  graph_.connect(pool.free, writer_->free, queue(spec_.output_buffers));
  graph_.connect(writer_->filled, consumer.filled, queue(spec_.output_buffers));
  graph_.connect(consumer.released, pool.returned, queue(spec_.output_buffers));
}

void Link::connect(HostControl& host) {
  graph_.connect(host.requests, control().requests, queue(kMessages));
  graph_.connect(control().replies, host.replies, queue(kMessages));
}

void Link::hand_over(HostInput& producer, HostOutput& consumer) {
  auto& pool = graph_.add<BufferPool>("pool", {}, make_pool(spec_.input_buffers));
  graph_.connect(pool.free, producer.free, queue(spec_.input_buffers));
  graph_.connect(producer.committed, consumer.filled, queue(spec_.input_buffers));
  graph_.connect(consumer.released, pool.returned, queue(spec_.input_buffers));
}

}  // namespace isthmus::native
