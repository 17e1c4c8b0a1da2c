#include "shared/soc/circuit.hpp"

#include <algorithm>

namespace isthmus::soc {
namespace {

bool has_port(const std::vector<Part>& parts, std::size_t from, const Ways& ways, std::size_t port) {
  return std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(std::min(from, parts.size())), parts.end(),
                     [&](const Part& part) { return ways.port_of[part.buffer] == port; });
}

std::uint64_t bytes_of(const std::vector<Part>& parts) {
  std::uint64_t all = 0;
  for (const Part& part : parts) all += part.bytes;
  return all;
}

}  // namespace

Circuit::Circuit(const Ways& ways, Frequency clock)
    : regions(ways.burst.size(), "regions"),
      data(ways.burst.size(), "data"),
      stores(ways.burst.size(), "stores"),
      written(ways.burst.size(), "written"),
      ways_(ways),
      cycle_(1 / clock.hertz()) {}

void Circuit::step() {
  const Pass* pass = starts.read();
  if (pass == nullptr) {
    over_ = true;
    return;
  }
  begin(*pass);
  read(*pass);
  produce(*pass);
  finish(*pass);
  ended.push(true);
}

void Circuit::begin(const Pass& pass) {
  in_.assign(bytes_of(pass.reads), std::byte{0});
  all_ = bytes_of(pass.writes);
  got_ = made_ = in_part_ = 0;
  part_ = 0;
  free_ = timer_.now();
  for (const Part& part : pass.reads)
    regions[ways_.port_of[part.buffer]].push(
        {.at = {.channel = 0, .byte = ways_.address[part.buffer] + part.offset}, .bytes = part.bytes});
}

void Circuit::read(const Pass& pass) {
  for (const Part& part : pass.reads)
    for (std::uint64_t left = part.bytes; left > 0;) {
      const fabric::AxiBurst& burst = data[ways_.port_of[part.buffer]].read_in_place();
      std::copy_n(burst.data.begin(), burst.bytes, in_.begin() + static_cast<std::ptrdiff_t>(got_));
      got_ += burst.bytes;
      left -= burst.bytes;
      if (pass.needs) produce(pass);
    }
}

/// Does as much as the data that were read allow.
void Circuit::produce(const Pass& pass) {
  while (made_ < all_) {
    const Part& part = pass.writes[part_];
    const std::uint64_t burst = ways_.burst[ways_.port_of[part.buffer]];
    const std::uint64_t address = ways_.address[part.buffer] + part.offset + in_part_;
    const std::uint64_t bytes = std::min(part.bytes - in_part_, burst - address % burst);
    if (got_ < (pass.needs ? std::min<std::uint64_t>(pass.needs(made_ + bytes), in_.size()) : in_.size())) return;
    write(pass, bytes);
  }
}

void Circuit::write(const Pass& pass, std::uint64_t bytes) {
  const double share = static_cast<double>(bytes) / static_cast<double>(all_);
  free_ = std::max(free_, timer_.now()) + Time::seconds(share * pass.cycles * cycle_);
  timer_.wait_until(free_);
  const Part& part = pass.writes[part_];
  const std::size_t port = ways_.port_of[part.buffer];
  const bool ends = in_part_ + bytes == part.bytes;
  fabric::AxiStore& store = stores[port].slot();
  store.channel = 0;
  store.last = ends && !has_port(pass.writes, part_ + 1, ways_, port);
  store.write.address = ways_.address[part.buffer] + part.offset + in_part_;
  store.write.burst.bytes = static_cast<std::uint32_t>(bytes);
  pass.compute(in_, made_, std::span(store.write.burst.data).first(bytes));
  made_ += bytes;
  in_part_ = ends ? 0 : in_part_ + bytes;
  if (ends) ++part_;
}

void Circuit::finish(const Pass& pass) {
  for (std::size_t port = 0; port < written.size(); ++port)
    if (has_port(pass.writes, 0, ways_, port)) written[port].read();
}

}  // namespace isthmus::soc
