#include "workload.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <system_error>

#include "isthmus/base/error.hpp"

namespace isthmus::bench {
namespace {

std::uint64_t count_from(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    throw Error(fmt::format("TOKENS: expected a positive integer, got '{}'", text));
  }
  return value;
}

Measurement measure(int argc, char** argv, const std::map<std::string, Workload>& workloads) {
  if (argc != 3) throw Error(fmt::format("expected two arguments, WORKLOAD and TOKENS, got {}", argc - 1));
  const auto found = workloads.find(argv[1]);
  if (found == workloads.end()) throw Error(fmt::format("WORKLOAD: '{}' is not one of this program's", argv[1]));
  const Measurement measurement = found->second(count_from(argv[2]));
  if (measurement.checksum != measurement.expected) {
    throw Error(fmt::format("{}: expected the tokens to come to {}, got {}", argv[1], measurement.expected,
                            measurement.checksum));
  }
  return measurement;
}

}  // namespace

double processor_seconds() {
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) {
    throw std::system_error(errno, std::generic_category(), "clock_gettime");
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int run_workload(int argc, char** argv, const std::string& made_by, const std::map<std::string, Workload>& workloads) {
  try {
    const Measurement measurement = measure(argc, argv, workloads);
    fmt::print("{{\"seconds\": {}, \"tokens\": {}, \"actor_bytes\": {}, \"made_by\": \"{}\"}}\n", measurement.seconds,
               measurement.tokens, measurement.actor_bytes, made_by);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

std::uint64_t pipeline_sum(std::uint64_t n) {
  const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  return 3 * pairs + n;
}

}  // namespace isthmus::bench
