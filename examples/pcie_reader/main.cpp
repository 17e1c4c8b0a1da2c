// Listing 2 of stacc: an actor on the FPGA that reads host memory by PCIe, word by word, at the addresses it is given.
// Request and response are channels apart, so a new request goes out while earlier ones are on their way.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <isthmus/engine/graph.hpp>
#include <isthmus/fabric/pcie_link.hpp>
#include <isthmus/stream.hpp>
#include <string_view>
#include <vector>

struct PcieReader {
  isthmus::In<std::uint64_t> addresses{"addresses"};
  isthmus::In<isthmus::PcieReadResp> responses{"responses"};
  isthmus::Out<isthmus::PcieReadReq> requests{"requests"};
  isthmus::Out<isthmus::Word> data{"data"};
  void step() {
    isthmus::PcieReadReq request{.num = 1, .addr = 0};
    if (addresses.pull(request.addr)) requests.push(request);
    isthmus::PcieReadResp response;
    if (responses.pull(response)) data.push(response.data);
  }  // no stop condition: it ends when its inputs have
};

/// The addresses of some words, in the order in which they are to be read.
struct Addresses {
  isthmus::Out<std::uint64_t> out;
  std::uint64_t base;
  std::vector<int> words;
  std::size_t next = 0;
  Addresses(std::uint64_t first, std::vector<int> order) : base(first), words(std::move(order)) {}
  void step() { out.push(base + static_cast<std::uint64_t>(words[next++]) * isthmus::kWordBytes); }
  bool done() const { return next == words.size(); }
};

struct Printer {
  isthmus::In<isthmus::Word> in;
  isthmus::Timer timer;
  void step() {
    const isthmus::Word word = in.read();
    fmt::print("{:>8}  {}\n", to_string(timer.now()), reinterpret_cast<const char*>(word.bytes.data()));
  }
};

/// Host software that lets the FPGA work for a while: the link ends with it.
struct Host {
  isthmus::Out<isthmus::MmioRequest> requests;
  isthmus::Timer timer;
  bool over = false;
  void step() {
    timer.wait(isthmus::Time::us(10));
    over = true;
  }
  bool done() const { return over; }
};

int main() {
  isthmus::Graph graph;
  const isthmus::fabric::PcieLinkSpec spec{.generation = 3, .lanes = 16};
  auto link = isthmus::fabric::add_pcie_link(graph, spec, {isthmus::Bandwidth::gb_per_second(68)});
  const auto memory = link.memory.allocate(isthmus::Bytes{4096});
  const std::vector<std::string_view> lines{"the neck of land", "between", "two", "machines"};
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::memcpy(memory.bytes.data() + i * isthmus::kWordBytes, lines[i].data(), lines[i].size());

  const isthmus::ActorOptions clock{.clock = spec.user_clock};
  auto& addresses = graph.add<Addresses>("addresses", clock, memory.addr, std::vector{2, 3, 0, 1, 2, 3});
  auto& reader = graph.add<PcieReader>("PCIe reader of listing 2", clock);
  auto& printer = graph.add<Printer>("printer", clock);
  graph.connect(addresses.out, reader.addresses);
  graph.connect(reader.requests, link.read_requests);
  graph.connect(link.read_data, reader.responses, {.depth = 16});
  graph.connect(reader.data, printer.in);

  auto& host = graph.add<Host>("host");
  const isthmus::Time on_host = isthmus::Time::ns(50);
  graph.connect(host.requests, link.mmio, {.depth = 4, .latency_time = on_host, .return_latency_time = on_host});
  // The host hears nothing; the FPGA has no registers and writes nothing.
  graph.unused(link.host_messages);
  graph.unused(link.device_mmio);
  graph.unused(link.device_messages);
  graph.unused(link.write_requests);
  graph.unused(link.write_data);
  graph.unused(link.writes_done);
  fmt::print("{}\n", to_string(graph.run().outcome));
}
