#include "isthmus/fabric/dram_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

constexpr auto kWord = static_cast<std::uint64_t>(kWordBytes);

/// The number of `bytes` from `addr` on that lie in the same channel.
std::uint64_t in_channel(const DramPortSpec& spec, std::uint64_t addr, std::uint64_t bytes) {
  return std::min(bytes, spec.channel_bytes - addr % spec.channel_bytes);
}

}  // namespace

DeviceAddress DramPortSpec::place(std::uint64_t addr) const {
  if (addr / channel_bytes >= channels)
    throw Error(fmt::format("device address {:#x}: expected one of the memory's {} channels of {} B", addr, channels,
                            channel_bytes));
  return {.channel = static_cast<std::uint32_t>(addr / channel_bytes), .byte = addr % channel_bytes};
}

void DramReader::step() {
  const bool asked = ask();
  const bool answered = answer();
  if (asked || answered) return;
  finished_ = left_ == 0 && expected_ == 0 && requests.closed();
  if (!finished_) timer_.wait(requests, regions, data);
}

bool DramReader::ask() {
  if (left_ == 0) {
    DramReadReq request{};
    if (!requests.pull(request)) return false;
    next_ = request.addr;
    left_ = request.num * kWord;
  }
  if (left_ == 0 || !regions.room()) return left_ == 0;
  const std::uint64_t bytes = in_channel(spec_, next_, left_);
  regions.push({.at = spec_.place(next_), .bytes = bytes});
  next_ += bytes;
  left_ -= bytes;
  expected_ += bytes;
  return true;
}

bool DramReader::answer() {
  if (burst_ == nullptr) burst_ = data.pull_in_place();
  if (burst_ == nullptr) return false;
  DramReadResp& word = words.slot();
  std::memcpy(&word.data, burst_->data.data() + taken_, kWord);
  taken_ += static_cast<std::uint32_t>(kWord);
  expected_ -= kWord;
  if (taken_ == burst_->bytes) {
    burst_ = nullptr;
    taken_ = 0;
  }
  return true;
}

void DramWriter::step() {
  while (left_ == 0 && of_burst_ == 0) {
    const DramWriteApply request = requests.read();
    next_ = request.addr;
    left_ = request.num * kWord;
  }
  if (of_burst_ == 0) begin_burst();
  AxiBurst& burst = store_.write.burst;
  const DramWriteData word = words.read();
  std::memcpy(burst.data.data() + burst.bytes, &word.data, kWord);
  burst.bytes += static_cast<std::uint32_t>(kWord);
  of_burst_ -= static_cast<std::uint32_t>(kWord);
  if (of_burst_ == 0) copy(store_, stores.slot());
}

void DramWriter::begin_burst() {
  const DeviceAddress at = spec_.place(next_);
  of_burst_ = spec_.axi.first_burst(at.byte, in_channel(spec_, next_, left_));
  store_ = {.channel = at.channel, .last = false, .write = {.address = at.byte, .burst = {}}};
  next_ += of_burst_;
  left_ -= of_burst_;
}

}  // namespace isthmus::fabric
