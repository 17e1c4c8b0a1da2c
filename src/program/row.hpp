#pragma once

#include <cstdint>
#include <string>

#include "program/measuring.hpp"
#include "program/target.hpp"
#include "program/tool.hpp"

namespace isthmus::program {

/// Input bytes of one counted unit: an image, a message.
std::size_t bytes_each(const ByteApplication& application);

/// The request.
struct Asked {
  std::string target;  ///< target, as the user typed it
  std::string flow;
  int messages;
  std::uint64_t seed;
  const ByteApplication& application;
  const Values& values;
  soc::Choice choice{};

  /// The number of images, look-ups, ... that the row counts.
  int count() const { return messages * application.extras.in_message; }
  /// Input bytes of each.
  std::size_t bytes_each() const { return program::bytes_each(application); }
};

/// The result of a run as a line of JSON.
Record row_of(const Asked& asked, const Target& target, const Run& run);

/// Adds the median rate of measured runs to a row, with their samples and spread.
void add_samples(Record& row, const Asked& asked, const Measuring& measuring);

/// The place where an output differed first, with the application's own coordinates of it.
Record to_json(const Difference& difference, const ByteApplication& application);

}  // namespace isthmus::program
