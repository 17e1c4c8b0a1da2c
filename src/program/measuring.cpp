#include "program/measuring.hpp"

#include <algorithm>

#include "isthmus/base/summary.hpp"

namespace isthmus::program {
namespace {

constexpr Time kShort = Time::ms(1000);

}  // namespace

std::size_t Measuring::warmup() const {
  const bool quick = taken_.front() < kShort;
  return repetition_.warmup >= 0 ? static_cast<std::size_t>(repetition_.warmup) : quick ? 1 : 0;
}

std::size_t Measuring::runs() const {
  const bool quick = taken_.front() < kShort;
  return warmup() + (repetition_.samples > 0 ? static_cast<std::size_t>(repetition_.samples) : quick ? 3 : 1);
}

bool Measuring::wants_more() const {
  return taken_.empty() || taken_.size() < runs();
}

std::size_t Measuring::typical() const {
  std::vector<std::size_t> numbers;
  for (std::size_t run = warmup(); run < taken_.size(); ++run) numbers.push_back(run);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle, {}, [this](std::size_t run) { return taken_[run]; });
  return *middle;
}

void Measuring::add_to(Record& row, const char* rate, int count, double bytes_each) const {
  if (const auto load = meter_.load()) row["load"] = *load;
  if (wants_more()) return;
  std::vector<double> rates;
  for (std::size_t run = warmup(); run < taken_.size(); ++run) rates.push_back(count / taken_[run].seconds());
  const Summary summary = summarise(rates);
  row["elapsed_s"] = count / summary.median;
  row[rate] = summary.median;
  row["gb_per_s"] = bytes_each * summary.median * 1e-9;
  row["samples"] = rates;
  row["spread"] = summary.spread;
  row["warmup"] = warmup();
}

Record to_json(const Difference& difference) {
  return {{"message", difference.message},
          {"offset", difference.offset},
          {"expected", Record::number_or_text(difference.expected)},
          {"got", Record::number_or_text(difference.got)},
          {"elements", difference.elements},
          {"of_elements", difference.of_elements},
          {"messages", difference.messages},
          {"of_messages", difference.of_messages}};
}

}  // namespace isthmus::program
