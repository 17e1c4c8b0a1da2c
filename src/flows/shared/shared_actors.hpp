#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "application/run.hpp"
#include "flows/shared/line_words.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/shared/lines.hpp"
#include "isthmus/stream.hpp"

/// The circuit's ends of the flow through shared memory.
namespace isthmus::program {

/// Messages under way, each with memory of its own: one that is written, one in the circuit, one that is read.
inline constexpr int kSharedSlots = 3;

/// The place of messages, as a circuit addresses it.
struct SharedPlaces {
  const fabric::SharedSpace& space;
  std::uint64_t input[kSharedSlots]{};
  std::uint64_t output[kSharedSlots]{};
  std::uint64_t status;  ///< address of the status line: number of complete outputs
  std::uint64_t line;    ///< bytes of a line

  LinePieces input_of(int message, const Job& job) const {
    return {.from = input[message % kSharedSlots], .bytes = job.application.input, .line = line};
  }
  LinePieces output_of(int message, const Job& job) const {
    return {.from = output[message % kSharedSlots], .bytes = job.application.output, .line = line};
  }
};

/// The shared data of all actors.
struct SharedWork {
  const Job& job;
  Exchange& messages;
  SharedPlaces places;
  std::uint8_t channel;  ///< channel of the circuit's lines
  Time store;            ///< time of a store to a register of the circuit
};

/// The words of a status line.
struct LineStatus {
  std::uint64_t complete;   ///< number of complete outputs or launches
  std::uint64_t words = 0;  ///< words that the last one wrote
};

/// How long a core waits for what comes of so many words: a circuit is given up that takes longer than a thousand
/// cycles a word at 100 MHz.
constexpr Time patience(std::uint64_t words) {
  constexpr std::int64_t kLeast = 5000;  // microseconds
  constexpr std::int64_t kOfAWord = 10;
  return Time::us(kLeast + kOfAWord * static_cast<std::int64_t>(words));
}

/// What a reader reads of memory.
struct ReadPlan {
  int launches;
  std::uint64_t each;   ///< stretches that each launch reads
  std::uint64_t words;  ///< words of a launch
  std::uint8_t channel;
  std::function<LinePieces(int launch, std::uint64_t number)> stretch;  ///< a stretch of a launch
};

/// Reads stretches line by line and hands them to a circuit as words; the last word of a launch is marked.
struct LineReader {
  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  In<int> starts{"starts"};  ///< a launch each
  Out<StreamWord> words{"words"};
  Timer timer;

  explicit LineReader(ReadPlan what) : plan_(std::move(what)) {}
  void step();
  bool done() const { return handed_ == plan_.words * static_cast<std::uint64_t>(plan_.launches); }

 private:
  bool take();
  bool hand_on();
  bool ask_next();

  ReadPlan plan_;
  LineWords lines_;
  int started_ = 0;
  int asking_ = 0;            ///< index of the launch whose stretches are being requested
  std::uint64_t number_ = 0;  ///< index of the stretch that is being requested
  std::uint64_t asked_ = 0;   ///< lines of that stretch that are requested
  std::uint64_t handed_ = 0;  ///< words of all launches that are handed on
};

/// How a reader reads the messages of a job.
ReadPlan messages_of(const SharedWork& work);

/// The same with an application that is told something first.
struct ConfiguringReader : LineReader {
  Out<std::uint32_t> control{"control"};
  In<ControlMessage> answers{"answers"};
  const Control& sent;
  bool configured = false;

  explicit ConfiguringReader(const SharedWork& work)
      : LineReader(messages_of(work)), sent(work.job.application.extras.control) {}
  void step();
};

/// What a writer writes to memory.
struct WritePlan {
  int outputs;
  bool until_last;       ///< whether an output ends with its last word, else with the last byte of its place
  std::uint64_t status;  ///< address of the status line
  std::uint64_t line;    ///< bytes of a line
  std::uint8_t channel;
  std::function<LinePieces(int output)> place;
};

/// Writes the words of outputs line by line, and the status when an output is complete.
struct LineWriter {
  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  In<StreamWord> words{"words"};
  Timer timer;

  explicit LineWriter(WritePlan what) : plan_(std::move(what)) {}
  void step();
  bool done() const { return over_ == plan_.outputs; }

 private:
  /// An output whose lines are all written.
  struct Written {
    std::uint64_t lines;  ///< lines of this and all outputs before it
    std::uint64_t words;
  };
  bool take();
  bool tell();
  bool write();

  WritePlan plan_;
  GatheredWords gathered_;
  int output_ = 0;               ///< index of the output that is being written
  std::uint64_t line_ = 0;       ///< lines written of that output
  std::uint64_t in_output_ = 0;  ///< words taken of that output
  std::deque<Written> ended_;    ///< outputs whose status is not written yet
  std::uint64_t written_ = 0;    ///< lines written, of all outputs
  std::uint64_t answered_ = 0;   ///< lines answered, of all outputs
  int fences_ = 0;               ///< fences requested, which order data and status on different channels
  int fenced_ = 0;               ///< fences answered
  int told_ = 0;                 ///< status lines written
  int over_ = 0;                 ///< status lines answered
};

/// How a writer writes the outputs of a job.
WritePlan outputs_of(const SharedWork& work);

}  // namespace isthmus::program
