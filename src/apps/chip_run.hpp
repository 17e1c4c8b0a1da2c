#pragma once

#include <functional>

#include "isthmus/application/together.hpp"
#include "isthmus/shared/soc/machine.hpp"

namespace isthmus::apps {

/// In whole lines of any cache.
constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  constexpr std::uint64_t kLine = fabric::kMostLine;
  return (bytes + kLine - 1) / kLine * kLine;
}

/// In whole pages, beyond which no prefetcher reads: what comes later may lie behind.
constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

/// The times at which messages of a program began and ended.
class MessageTimes {
 public:
  void begin(soc::Cpu& cpu) { begun_.push_back(cpu.now()); }
  void end(soc::Cpu& cpu) { latencies_.push_back(cpu.now() - begun_[latencies_.size()]); }
  const std::vector<Time>& latencies() const { return latencies_; }

 private:
  std::vector<Time> begun_;
  std::vector<Time> latencies_;
};

/// Runs a program of all messages on a chip; `kernel` as in soc::run.
program::Together run_on_chip(const platform::Description& board, const soc::Layout& layout,
                              const program::TogetherJob& job,
                              const std::function<void(soc::Cpu&, MessageTimes&)>& program,
                              const soc::AddKernel& kernel = {});

}  // namespace isthmus::apps
