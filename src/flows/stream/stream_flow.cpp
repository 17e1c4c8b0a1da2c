#include "flows/stream/stream_flow.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "flows/stream/paced.hpp"
#include "flows/stream/through_kernel.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {
namespace {

constexpr std::array kFaults = {kStall, kDrop, kDuplicate, kCorrupt, kDie};

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
          .words = {.needs = platform::kStreamNeeds, .on_board = run_stream, .board_faults = kFaults},
          .host_memory = true,
          .storage = true};
}

BoardRun run_stream(const platform::Description& board, const Job& job) {
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
