#include <algorithm>
#include <cstring>

#include "isthmus/fabric/dma.hpp"

namespace isthmus::fabric {
namespace {

std::int64_t words_in(std::int64_t bytes) {
  return (bytes + kWordBytes - 1) / kWordBytes;
}

}  // namespace

DmaFetch::DmaFetch(const DmaSpec& spec, const AxiSpec& axi)
    : spec_(spec),
      axi_(axi),
      device_list_(spec, kDescriptorsToDevice),
      host_list_(spec, kDescriptorsToHost),
      expected_(static_cast<std::size_t>(words_in(spec.read_buffer.count))),
      read_buffer_(kReadBuffer, static_cast<std::int64_t>(expected_.size())) {}

void DmaFetch::step() {
  if (index_ > 0) return receive_word(words.read_in_place().data);
  if (idle()) return start(starts.read());
  const bool started = start_job();
  const bool asked = ask();
  const bool received = receive();
  const bool handed_on = hand_on();
  if (!started && !asked && !received && !handed_on) timer_.wait(starts, words, requests, regions, orders);
}

/// Host software starts a direction only after its last transfer has ended.
bool DmaFetch::start_job() {
  if (device_list_.active() && host_list_.active()) return false;
  const DmaStart* next = starts.pull_in_place();
  if (next != nullptr) start(*next);
  return next != nullptr;
}

void DmaFetch::start(const DmaStart& start) {
  (start.to_device ? device_list_ : host_list_).start(start.job, timer_.message());
}

bool DmaFetch::has_room_for(std::int64_t count) const {
  return words_under_way_ + count <= static_cast<std::int64_t>(expected_.size());
}

/// Sends one request a cycle. Descriptors go first, because they are few and data wait for them.
bool DmaFetch::ask() {
  if (!host_list_.wants_more() && !device_list_.wants_more() && !device_list_.ready()) return false;
  if (!requests.room()) return false;
  return ask_for_list(host_list_, Kind::to_host_list) || ask_for_list(device_list_, Kind::to_device_list) ||
         ask_for_data();
}

bool DmaFetch::ask_for_list(DescriptorList& list, Kind kind) {
  if (!list.wants_more() || !has_room_for(list.words())) return false;
  timer_.works_on(list.message());
  ask(list.request(), {.kind = kind});
  return true;
}

bool DmaFetch::ask_for_data() {
  if (!device_list_.ready()) return false;
  const DmaDescriptor& from = device_list_.next();
  const std::uint64_t host = from.host + asked_of_next_;
  const std::int64_t to_boundary =
      spec_.read_request.count - static_cast<std::int64_t>(host) % spec_.read_request.count;
  const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(from.bytes - asked_of_next_, to_boundary));
  if (!has_room_for(words_in(bytes))) return false;
  timer_.works_on(device_list_.message());
  const bool ends = asked_of_next_ + bytes == from.bytes;
  ask({.num = static_cast<std::uint8_t>(words_in(bytes)), .addr = host},
      {.kind = Kind::data,
       .ends = ends,
       .last = ends && device_list_.next_is_last(),
       .bytes = bytes,
       .to = {.channel = from.channel, .byte = from.device + asked_of_next_}});
  asked_of_next_ += bytes;
  if (ends) {
    device_list_.use();
    asked_of_next_ = 0;
  }
  return true;
}

void DmaFetch::ask(const PcieReadReq& request, Expected expected) {
  expected.words = request.num;
  expected_[last_expected_++ % expected_.size()] = expected;
  words_under_way_ += request.num;
  read_buffer_.take(request.num);
  requests.push(request);
}

/// Begins the next answer if its first word is there.
bool DmaFetch::receive() {
  if (words_under_way_ == 0) return false;
  const PcieReadResp* word = words.pull_in_place();
  if (word == nullptr) return false;
  receive_word(word->data);
  return true;
}

void DmaFetch::receive_word(const Word& word) {
  Expected& expected = oldest();
  if (expected.kind == Kind::data)
    receive_data(expected, word);
  else
    (expected.kind == Kind::to_device_list ? device_list_ : host_list_).take(word, index_);
  --words_under_way_;
  read_buffer_.give();
  if (++index_ < expected.words) return;
  index_ = 0;
  ++first_expected_;
}

void DmaFetch::receive_data(Expected& expected, const Word& word) {
  const auto bytes = std::min<std::uint32_t>(expected.bytes, sizeof(Word));
  std::memcpy(burst_.data.data() + burst_.bytes, word.bytes.data(), bytes);
  burst_.bytes += bytes;
  expected.bytes -= bytes;
  expected.to.byte += bytes;
  const bool at_boundary = expected.to.byte % static_cast<std::uint64_t>(axi_.burst.count) == 0;
  if (at_boundary || (expected.bytes == 0 && expected.ends)) send_burst(expected);
}

/// Sends a burst; `expected` is at its end, after its last byte.
void DmaFetch::send_burst(const Expected& expected) {
  AxiStore& store = data.slot();
  store.channel = expected.to.channel;
  store.last = expected.bytes == 0 && expected.last;
  store.write.address = expected.to.byte - burst_.bytes;
  copy(burst_, store.write.burst);
  burst_.bytes = 0;
}

/// Passes on what a descriptor of a transfer to the host asks of memory and of DmaSend.
bool DmaFetch::hand_on() {
  if (!host_list_.ready() || !regions.room() || !orders.room()) return false;
  timer_.works_on(host_list_.message());
  const DmaDescriptor& from = host_list_.next();
  regions.push({.at = {.channel = from.channel, .byte = from.device}, .bytes = from.bytes});
  orders.push({.host = from.host, .bytes = from.bytes, .last = host_list_.next_is_last()});
  host_list_.use();
  return true;
}

}  // namespace isthmus::fabric
