#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "layer/journal_format.hpp"
#include "tools/process.hpp"

namespace isthmus::layer {

/// A journal as its slots lie in the file.
struct Recorded {
  ProcessSlot process;
  std::vector<CallSlot> calls;  ///< by number
  std::map<std::uint64_t, TimesSlot> times;
  std::vector<QueueSlot> queues;
  std::map<std::pair<Text, std::uint32_t>, std::string> texts;

  std::string kind(const CallSlot& call) const;
  /// The calls as known_calls prints them.
  std::vector<std::string> lines() const;
};

Recorded read_journal(const std::filesystem::path& path);

/// A run of known_calls: what it printed, and its journals by begin.
struct Session {
  tools::Outcome outcome;
  std::vector<Recorded> journals;

  /// The lines that begin with this word.
  std::vector<std::string> lines(const std::string& word) const;
};

Session run_with_layer(const std::vector<std::string>& arguments);
Session run_alone(const std::vector<std::string>& arguments);

}  // namespace isthmus::layer
