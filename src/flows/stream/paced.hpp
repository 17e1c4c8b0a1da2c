#pragma once

#include <functional>

#include "application/messages_beside.hpp"
#include "flows/stream/stream_fine.hpp"
#include "flows/stream/stream_steady.hpp"

/// Runs of messages whose pace becomes steady: a long one may then stand on two short ones.
namespace isthmus::program {

/// A flow in which messages follow each other, on a board.
struct PacedFlow {
  std::function<FineStream(int count, MessagesBeside& messages)> run;  ///< runs the first messages of a job
  std::function<FineStream(int count)> run_unseen;  ///< runs the first messages of a job; nobody asks for their bytes
  std::function<bool(const FineStream& longer)> steady;
  std::function<void(int first, MessagesBeside& messages)> rest;  ///< computes what messages from `first` on become
};

/// Every message is a run of its own tokens where the job asks for that, is observed, or has messages that differ or
/// reach memory; where it is no longer than what `lengths` takes; and where the pace does not become
/// steady.
BoardRun run_paced(const Job& job, const Lengths& lengths, const PacedFlow& flow);

}  // namespace isthmus::program
