#include "isthmus/fabric/coherence/axi_lines.hpp"

namespace isthmus::fabric {

AxiLines::Burst& AxiLines::Order::begin(std::uint64_t address, std::uint32_t bytes) {
  Burst& burst = bursts[place(count++)];
  burst.address = address;
  burst.bytes = burst.left = bytes;
  burst.asked = 0;
  return burst;
}

void AxiLines::Order::end() {
  first = place(1);
  --count;
}

AxiLines::AxiLines(const AxiLinesSpec& spec)
    : spec_(spec),
      lines_(static_cast<std::size_t>(2 * spec.outstanding * ((spec.burst + spec.line - 1) / spec.line))),
      free_(lines_.size()) {
  const auto outstanding = static_cast<std::size_t>(spec.outstanding);
  reading_.bursts.resize(outstanding);
  writing_.bursts.resize(outstanding);
  for (Burst& burst : reading_.bursts) burst.data.resize(static_cast<std::size_t>(spec.burst));
}

// Results are taken whatever else happens, because each of them has a place.
void AxiLines::step() {
  moved_ = false;
  take_result();
  hand_back();
  take_read();
  if (free_.any() && accesses.room()) write_next_ ? ask_write() || ask_read() : ask_read() || ask_write();
  if (moved_) return;
  over_ = reading_.count == 0 && writing_.count == 0 && reads.closed() && writes.closed();
  if (!over_) timer_.wait(reads, data, writes, written, accesses, results);
}

void AxiLines::take_result() {
  if (reading_.count == 0 && writing_.count == 0) return;
  const LineResult* result = results.pull_in_place();
  if (result == nullptr) return;
  moved_ = true;
  const Line& line = lines_[result->tag];
  Burst& burst = (line.write ? writing_ : reading_).bursts[line.burst];
  burst.left -= result->bytes;
  if (!line.write) copy_bytes(result->data.data(), burst.data.data() + line.offset, result->bytes);
  free_.give(result->tag);
}

void AxiLines::hand_back() {
  if (reading_.ready() && data.room()) {
    const Burst& burst = reading_.oldest();
    AxiBurst& answer = data.slot();
    answer.bytes = burst.bytes;
    copy_bytes(burst.data.data(), answer.data.data(), burst.bytes);
    reading_.end();
    --to_ask_;
    moved_ = true;
  }
  if (writing_.ready() && written.room()) {
    written.push({});
    writing_.end();
    moved_ = true;
  }
}

void AxiLines::take_read() {
  if (reading_.full()) return;
  const AxiRead* read = reads.pull_in_place();
  if (read == nullptr) return;
  reading_.begin(read->address, read->bytes);
  moved_ = true;
}

bool AxiLines::ask_read() {
  if (to_ask_ == reading_.count) return false;
  const std::size_t place = reading_.place(to_ask_);
  ask(LineAccess::Kind::read, reading_, place);
  if (reading_.bursts[place].asked == reading_.bursts[place].bytes) ++to_ask_;
  return true;
}

/// A burst stays in its channel until all its lines are asked for.
bool AxiLines::ask_write() {
  const bool begun = writing_.count > 0 && writing_.bursts[writing_.place(writing_.count - 1)].asked <
                                               writing_.bursts[writing_.place(writing_.count - 1)].bytes;
  if (!begun && writing_.full()) return false;
  const AxiWrite* write = writes.front();
  if (write == nullptr) return false;
  if (!begun) writing_.begin(write->address, write->burst.bytes);
  const std::size_t place = writing_.place(writing_.count - 1);
  const std::uint32_t offset = writing_.bursts[place].asked;
  LineAccess& access = ask(LineAccess::Kind::write, writing_, place);
  copy_bytes(write->burst.data.data() + offset, access.data.data(), access.bytes);
  if (writing_.bursts[place].asked == writing_.bursts[place].bytes) writes.pull_in_place();
  return true;
}

LineAccess& AxiLines::ask(LineAccess::Kind kind, Order& order, std::size_t place) {
  Burst& burst = order.bursts[place];
  const std::uint16_t tag = free_.take();
  write_next_ = kind != LineAccess::Kind::write;
  lines_[tag] = {.write = !write_next_, .burst = place, .offset = burst.asked};
  moved_ = true;
  const std::uint64_t address = burst.address + burst.asked;
  burst.asked += static_cast<std::uint32_t>(spec_.line);
  return begin_access(accesses, kind, address, static_cast<std::uint64_t>(spec_.line), tag);
}

}  // namespace isthmus::fabric
