#include "isthmus/fabric/coherence/dram_lines.hpp"

#include <algorithm>

namespace isthmus::fabric {

// A write that comes together with a read goes first, because it was asked for before.
void DramLines::step() {
  moved_ = answered_ = false;
  take_written();
  hand_on();
  write();
  read();
  if (moved_) return;
  over_ = reading_.empty() && writing_.empty() && reads.closed() && writes.closed();
  if (!over_) timer_.wait(reads, data, writes, dram_reads, dram_data, dram_writes, dram_written);
}

void DramLines::take_written() {
  if (writing_.empty() || !dram_written.pull()) return;
  writing_.pop_front();
  ++written_;
  moved_ = true;
}

void DramLines::hand_on() {
  if (reading_.empty() || !data.room()) return;
  const AxiBurst* burst = dram_data.pull_in_place();
  if (burst == nullptr) return;
  MemoryData& answer = data.slot();
  answer.transaction = reading_.front();
  copy_bytes(burst->data.data(), answer.data.data(), static_cast<std::size_t>(line_));
  reading_.pop_front();
  moved_ = answered_ = true;
}

void DramLines::write() {
  if (!dram_writes.room()) return;
  const MemoryWrite* write = writes.pull_in_place();
  if (write == nullptr) return;
  AxiWrite& burst = dram_writes.slot();
  burst.address = byte(write->line);
  burst.burst.bytes = static_cast<std::uint32_t>(line_);
  copy_bytes(write->data.data(), burst.burst.data.data(), static_cast<std::size_t>(line_));
  writing_.push_back(write->line);
  moved_ = true;
}

void DramLines::read() {
  const MemoryRead* read = reads.front();
  if (read == nullptr) return;
  if (read->fence) {
    if (written_ < read->line || answered_ || !data.room()) return;
    data.slot().transaction = read->transaction;
  } else {
    if (std::ranges::find(writing_, read->line) != writing_.end() || !dram_reads.room()) return;
    dram_reads.push({byte(read->line), static_cast<std::uint32_t>(line_)});
    reading_.push_back(read->transaction);
  }
  reads.pull_in_place();
  moved_ = true;
}

}  // namespace isthmus::fabric
