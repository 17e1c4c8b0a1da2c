#include "fabric/dram_bench.hpp"

#include <algorithm>
#include <string>

namespace isthmus::fabric::test {
namespace {

const std::vector<DramRequest> kNone;
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20U;

/// Asks for each request when its time has come.
template <class T>
struct Asker {
  const std::vector<DramRequest>* requests = &kNone;
  Out<T> out;
  Timer timer;
  std::size_t next = 0;
  void step() {
    const DramRequest& request = (*requests)[next++];
    timer.wait_until(request.at);
    T& slot = out.slot();
    slot.address = request.address;
    if constexpr (requires { slot.burst; })
      slot.burst.bytes = request.bytes;
    else
      slot.bytes = request.bytes;
  }
  bool done() const { return next == requests->size(); }
};

template <class T>
struct Replies {
  std::vector<Time>* times = nullptr;
  In<T> in;
  Timer timer;
  void step() {
    in.read();
    times->push_back(timer.now());
  }
};

struct Commands final : DramObserver {
  std::vector<DramCommand> list;
  void issued(const DramCommand& command) override { list.push_back(command); }
};

}  // namespace

DramSpec ddr4_2133() {
  return {.clock = Frequency{2'133'000'000, 2},
          .data_width = {8},
          .burst_length = 8,
          .bank_groups = 4,
          .banks = 4,
          .row_size = {8192},
          .CL = 15,
          .CWL = 11,
          .tRCD = Time::ps(14'060),
          .tRP = Time::ps(14'060),
          .tRAS = Time::ns(33),
          .tRTP = Time::ps(7'500),
          .tWR = Time::ns(15),
          .tCCD_S = 4,
          .tCCD_L = Time::ps(5'355),
          .tRRD_S = Time::ps(3'700),
          .tRRD_L = Time::ps(5'300),
          .tFAW = Time::ns(21),
          .tWTR_S = Time::ps(2'500),
          .tWTR_L = Time::ps(7'500),
          .turnaround = 2,
          .tREFI = Time::ns(7'800),
          .tRFC = Time::ns(350),
          .read_group = 16,
          .write_group = 16,
          .queue_depth = 32,
          .idle_latency = Time::ns(200)};
}

DramSpec ddr3_1600() {
  DramSpec spec = ddr4_2133();
  spec.clock = Frequency::mhz(800);
  spec.bank_groups = 1;
  spec.banks = 8;
  spec.CL = 11;
  spec.CWL = 8;
  spec.tRCD = spec.tRP = Time::ps(13'750);
  spec.tRAS = Time::ns(35);
  spec.tCCD_L = Time::ns(5);
  spec.tRRD_S = spec.tRRD_L = Time::ns(6);
  spec.tFAW = Time::ns(30);
  spec.tWTR_S = spec.tWTR_L = Time::ps(7'500);
  spec.tRFC = Time::ns(260);
  return spec;
}

DramRun run_dram(const DramSpec& spec, const std::vector<DramMaster>& masters) {
  DramRun run;
  run.replies.resize(masters.size());
  DramCells cells;
  cells.reserve(0, kMemory);
  Commands commands;
  Graph graph;
  auto& dram = graph.add<DramController>("dram", {}, spec, cells,
                                         DramMasters{.read = masters.size(), .write = masters.size()}, &commands);
  const ChannelOptions request{
      .depth = 32, .latency_time = DramController::request_latency(spec), .return_latency_time = Time::ns(1)};
  ChannelOptions data = request;
  data.latency_time = DramController::read_latency(spec);
  ChannelOptions written = request;
  written.latency_time = DramController::write_latency(spec);

  for (std::size_t i = 0; i < masters.size(); ++i) {
    const DramMaster& master = masters[i];
    const std::string n = std::to_string(i);
    auto& reader = graph.add<Asker<AxiRead>>("reader" + n);
    auto& writer = graph.add<Asker<AxiWrite>>("writer" + n);
    auto& read_replies = graph.add<Replies<AxiBurst>>("data" + n);
    auto& write_replies = graph.add<Replies<AxiWritten>>("written" + n);
    (master.writes ? writer.requests : reader.requests) = &master.requests;
    (master.writes ? write_replies.times : read_replies.times) = &run.replies[i];
    graph.connect(reader.out, dram.reads[i], request);
    graph.connect(dram.data[i], read_replies.in, data);
    graph.connect(writer.out, dram.writes[i], request);
    graph.connect(dram.written[i], write_replies.in, written);
  }
  run.report = graph.run();
  run.commands = commands.list;
  std::ranges::stable_sort(run.commands, {}, &DramCommand::cycle);
  return run;
}

}  // namespace isthmus::fabric::test
