#include "program/stream_flow.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/link.hpp"
#include "program/flows.hpp"
#include "program/paced.hpp"
#include "program/stream_packets.hpp"
#include "program/through_kernel.hpp"

namespace isthmus::program {
namespace {

constexpr std::array<std::string_view, 2> kPacketNeeds = {"network", "kernel"};

// A link sends again what it lost; a network does not, and has no TLPs; threads have nothing between them that could
// lose anything.
constexpr std::array kFaults = {kStall, kDrop, kDuplicate, kCorrupt, kDie};
constexpr std::array kPacketFaults = {kStall, kCorrupt, kDie};
constexpr std::array kThreadFaults = {kStall, kDie};

/// An output that ends early is told from one that goes on in the next buffer by lying in one.
void check_buffers(const platform::Description& board, const ByteApplication& application) {
  const Bytes buffer = platform::host_link_spec(board).buffer_size;
  if (!application.extras.output_bytes || application.output <= static_cast<std::size_t>(buffer.count)) return;
  throw Error(fmt::format("stream.buffer_size: expected at least {} B, the longest output of '{}', got {} B",
                          application.output, application.name, buffer.count));
}

}  // namespace

Flow stream_flow() {
  return {.name = "stream",
          .needs = platform::kStreamNeeds,
          .through_actors = run_stream,
          .on_threads = true,
          .host_memory = true,
          .storage = true,
          .packet_needs = kPacketNeeds,
          .faults = kFaults,
          .packet_faults = kPacketFaults,
          .thread_faults = kThreadFaults};
}

StreamRun run_stream(const platform::Description& board, const Job& job) {
  if (job.application.extras.packets) return run_packets_on_board(board, job);
  check_words(job.application);
  check_buffers(board, job.application);
  const Lengths lengths = steady_lengths(board, job.application);
  const auto run = [&](int count, MessagesBeside& messages) {
    CopiedOut outputs(job.application, messages);
    return stream_finely(board, job, count, outputs);
  };
  const auto unseen = [&](int count) {
    Dropped dropped;
    return stream_finely(board, job, count, dropped);
  };
  const auto steady = [&](const FineStream& longer) { return is_steady(longer.received, lengths); };
  const auto rest = [&](int first, MessagesBeside& messages) { send_through_kernel(job, first, messages); };
  return run_paced(job, lengths, {.run = run, .run_unseen = unseen, .steady = steady, .rest = rest});
}

}  // namespace isthmus::program
