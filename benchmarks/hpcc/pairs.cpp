#include "pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::bench {

Ours::Ours(const std::string& benchmark, const std::vector<std::string>& overrides, const std::string& on) {
  const auto entries = hpcc::all_benchmarks();
  const auto entry = std::ranges::find(entries, benchmark, &hpcc::Entry::name);
  const std::shared_ptr<offload::Device> device = offload::open_opencl(on);
  const hpcc::RunConditions conditions{.device = device->properties(), .optimized = true};
  job_ = std::make_unique<hpcc::Job>(
      benchmark, hpcc::Job::Parts{.device = device,
                                  .ranks = cluster::alone(),
                                  .conditions = conditions,
                                  .parameters = hpcc::Parameters(entry->parameters(conditions), overrides),
                                  .grid = {},
                                  .scheme = {},
                                  .kernel_file = {},
                                  .binary = {}});
  benchmark_ = entry->make(*job_);
  benchmark_->connect();
}

double Ours::seconds(std::size_t metric) {
  benchmark_->reset();
  return benchmark_->run().at(metric);
}

void Ours::validate() {
  const hpcc::Validation found = benchmark_->validate();
  if (!found.passed())
    throw Error(fmt::format("{}: expected less than {}, got {}", found.what, found.limit, found.error));
}

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double Row::median() const {
  return median_of(ratios);
}

std::vector<double> ratios_of(int pairs, const std::function<double()>& ours, const std::function<double()>& peer) {
  std::vector<double> ratios;
  for (int pair = 0; pair <= pairs; ++pair) {
    const double of = ours();
    const double over = peer();
    if (pair > 0) ratios.push_back(of / over);
  }
  return ratios;
}

void print(const Row& row) {
  const auto [least, greatest] = std::ranges::minmax(row.ratios);
  fmt::print("{:<32} {:>7.3f} ({:.3f} .. {:.3f})  must {:g}, aim {:g}  {}\n", row.name, row.median(), least, greatest,
             row.must, row.aim, row.against);
  std::fflush(stdout);
}

std::vector<Row> measured(const std::vector<Measure>& measures, const std::string& only) {
  std::vector<Row> rows;
  for (const auto& measure : measures) {
    if (measure.name.find(only) == std::string::npos) continue;
    for (Row& row : measure.rows()) {
      print(row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void append_json(const std::filesystem::path& path, const std::vector<Row>& rows) {
  auto old = nlohmann::ordered_json::array();
  if (std::ifstream in(path); in) old = nlohmann::ordered_json::parse(in);
  auto list = nlohmann::ordered_json::array();
  for (const auto& known : old)
    if (std::ranges::find(rows, known.at("name").get<std::string>(), &Row::name) == rows.end()) list.push_back(known);
  for (const Row& row : rows) {
    nlohmann::ordered_json record{
        {"name", row.name}, {"value", row.median()}, {"unit", row.unit}, {"against", row.against}};
    for (const auto& [field, value] : row.fields) record[field] = value;
    list.push_back(std::move(record));
  }
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream out(part);
  out << list.dump(2) << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(part, path, error);
  if (!out || error) throw Error(fmt::format("{}: cannot be written", path.string()));
}

}  // namespace isthmus::bench
