#include "isthmus/fabric/axi_port.hpp"

namespace isthmus::fabric {

AxiReader::AxiReader(const AxiSpec& spec, std::size_t channels)
    : answers(channels),
      requests(channels),
      spec_(spec),
      under_way_(spec.outstanding),
      bursts_(kAxiBursts, spec.outstanding) {}

void AxiReader::step() {
  if (under_way_.empty() && region_.bytes == 0) region_ = regions.read();
  const bool asked = ask();
  if (const AxiBurst* burst = answer())
    pass_on(*burst);
  else if (asked)
    timer_.wait(spec_.beats(1));
}

bool AxiReader::ask() {
  if (under_way_.full()) return false;
  while (region_.bytes == 0)
    if (!regions.pull(region_)) return false;
  const std::uint32_t bytes = spec_.first_burst(region_.at.byte, region_.bytes);
  requests[region_.at.channel].push({region_.at.byte, bytes});
  under_way_.add(region_.at.channel);
  bursts_.take();
  region_.at.byte += bytes;
  region_.bytes -= bytes;
  return true;
}

/// The burst that answers the oldest request, if it is there. A port that cannot ask for more waits for it.
const AxiBurst* AxiReader::answer() {
  if (under_way_.empty()) return nullptr;
  In<AxiBurst>& oldest = answers[under_way_.oldest()];
  return under_way_.full() ? &oldest.read_in_place() : oldest.pull_in_place();
}

void AxiReader::pass_on(const AxiBurst& burst) {
  timer_.wait(spec_.beats(burst.bytes));
  passed_.add(burst.bytes, timer_.now());
  copy(burst, data.slot());
  under_way_.drop();
  bursts_.give();
}

AxiWriter::AxiWriter(const AxiSpec& spec, std::size_t channels)
    : answers(channels),
      writes(channels),
      spec_(spec),
      under_way_(spec.outstanding),
      bursts_(kAxiBursts, spec.outstanding) {}

void AxiWriter::step() {
  const AxiStore& store = stores.read_in_place();
  if (under_way_.full()) confirm();
  send(store);
  if (!store.last) return;
  while (!under_way_.empty()) confirm();
  written.push({});
}

/// Waits for the oldest burst to be written.
void AxiWriter::confirm() {
  In<AxiWritten>& oldest = answers[under_way_.oldest()];
  oldest.read();
  under_way_.drop();
  bursts_.came_back_with(oldest);
}

void AxiWriter::send(const AxiStore& store) {
  timer_.wait(spec_.beats(store.write.burst.bytes));
  passed_.add(store.write.burst.bytes, timer_.now());
  AxiWrite& write = writes[store.channel].slot();
  write.address = store.write.address;
  copy(store.write.burst, write.burst);
  under_way_.add(store.channel);
  bursts_.take();
}

}  // namespace isthmus::fabric
