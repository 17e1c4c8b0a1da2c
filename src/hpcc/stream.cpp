#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "hpcc/checks.hpp"
#include "hpcc/memory_probe.hpp"
#include "hpcc/run_conditions.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

using offload::Buffer;

// The factor of Scale and Triad: a repetition multiplies A by j (1 + j) + j = 2. It begins with another A than the one
// before, so that no value of an earlier one is right: B and C are made of it, and A itself ends as something else.
constexpr double kFactor = std::numbers::sqrt3 - 1;

/// The values in A when a repetition begins, again and again; exact in every type. As many as a prime, so that they are
/// others in each block, vector or part of the array.
std::vector<double> start_of(int repetition) {
  constexpr std::size_t kValues = 1009;
  constexpr int kPeriod = 8;
  std::vector<double> values;
  for (int index = repetition; values.size() < kValues; ++index)
    values.push_back(1 + static_cast<double>(index % kPeriod) / kPeriod);
  return values;
}

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;
constexpr std::size_t kC = 2;
constexpr std::size_t kArrays = 3;

/// One of the four kernels as meyer2024 table 3.3 has them: out = scalar * in1 [+ in2].
struct Operation {
  const char* name;
  std::size_t in1;
  std::size_t in2;
  std::size_t out;
  bool scales;
  bool adds;
};
constexpr std::array kOperations{Operation{"copy", kA, kA, kC, false, false},
                                 Operation{"scale", kC, kC, kB, true, false}, Operation{"add", kA, kB, kC, false, true},
                                 Operation{"triad", kC, kB, kA, true, true}};

std::string metric_of(const Operation& operation) {
  return fmt::format("stream.{}", operation.name);
}

class Stream final : public Benchmark {
 public:
  explicit Stream(Job& job);

  std::vector<Metric> metrics() const override;
  void reset() override { host_[kA].fill(start_of(++repetition_)); }
  std::vector<double> run() override;
  std::size_t working_set() const override { return kArrays * bytes_; }
  std::vector<double> probe() override;
  std::string model() const override {
    return "the memory probe at the same arrays, reads and writes; copies by a probe of its own";
  }
  Validation validate() override;

 private:
  double write();
  double read();
  std::span<std::byte> part_of_host(std::size_t array, std::size_t set);
  double launch(const Operation& operation);

  Job& job_;
  std::string type_;
  std::size_t count_;
  std::size_t bytes_;  // of one array
  std::uint64_t vectors_;
  std::uint64_t replications_;
  std::vector<std::array<Buffer, kArrays>> arrays_;  // one set, or one for each replication where banks part them
  std::vector<Values> host_;
  std::vector<std::unique_ptr<offload::Queue>> queues_;
  std::vector<offload::Kernel> kernels_;
  MemoryProbe memory_;
  Values spare_host_;
  std::vector<offload::PinnedBuffer> pinned_;  // of the host's arrays, in an optimized run
  int repetition_ = 0;
};

/// Work-items that move `vectors` vectors: one that does all of it, one for each stretch, or one for each few vectors.
offload::NdRange work_items(const Job& job, std::uint64_t vectors) {
  if (job.conditions().variant == Variant::single) return offload::NdRange::single();
  const auto& parameters = job.parameters();
  const auto each = job.conditions().shape() == "cpu"
                        ? parameters.integer("DEVICE_BUFFER_SIZE") / parameters.integer("VECTOR_COUNT")
                        : parameters.integer("GLOBAL_MEM_UNROLL");
  return {.global = {vectors / static_cast<std::uint64_t>(each), 1, 1}};
}

Stream::Stream(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      count_(integer(job, "ARRAY_SIZE")),
      bytes_(count_ * size_of_type(type_)),
      vectors_(count_ / integer(job, "VECTOR_COUNT")),
      replications_(integer(job, "NUM_REPLICATIONS")),
      kernels_(job.replications(*job.program(), "stream")),
      memory_(job),
      spare_host_(type_, 0, 0) {
  const std::size_t sets = job.has_banks() ? replications_ : 1;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto array = [&](std::uint32_t index, const char* name) {
      return job.buffer(bytes_ / sets, kernels_[set], index, name, set);
    };
    arrays_.push_back({array(0, "in1"), array(1, "in2"), array(2, "out")});
  }
  // Behind the device's arrays, which are the first to have no room.
  for (std::size_t array = 0; array < kArrays; ++array) host_.emplace_back(type_, count_, 0);
  spare_host_ = Values(type_, count_, 0);
  if (job.conditions().optimized && !job.conditions().device.host_memory) {
    for (Values& values : host_) pinned_.push_back(job.device().pin(values.bytes()));
    pinned_.push_back(job.device().pin(spare_host_.bytes()));
  }
  for (std::uint64_t each = 0; each < replications_; ++each) queues_.push_back(job.device().queue());
}

std::vector<Metric> Stream::metrics() const {
  const double gigabytes = static_cast<double>(bytes_) * 1e-9;
  std::vector<Metric> all{{.name = "stream.write", .quantity = "bandwidth", .unit = "GB/s", .work = 3 * gigabytes}};
  for (const Operation& each : kOperations)
    all.push_back(
        {.name = metric_of(each), .quantity = "bandwidth", .unit = "GB/s", .work = (each.adds ? 3 : 2) * gigabytes});
  all.push_back({.name = "stream.read", .quantity = "bandwidth", .unit = "GB/s", .work = 3 * gigabytes});
  return all;
}

double Stream::write() {
  return job_.timed([&] {
    for (std::size_t set = 0; set < arrays_.size(); ++set)
      for (std::size_t each = 0; each < kArrays; ++each)
        job_.queue().write(arrays_[set][each], 0, part_of_host(each, set));
  });
}

double Stream::read() {
  return job_.timed([&] {
    for (std::size_t set = 0; set < arrays_.size(); ++set)
      for (std::size_t each = 0; each < kArrays; ++each)
        job_.queue().read(arrays_[set][each], 0, part_of_host(each, set));
  });
}

std::span<std::byte> Stream::part_of_host(std::size_t array, std::size_t set) {
  const std::size_t part = bytes_ / arrays_.size();
  return host_[array].bytes().subspan(set * part, part);
}

double Stream::launch(const Operation& operation) {
  const std::uint64_t each = vectors_ / replications_;
  const auto items = work_items(job_, each);
  const double factor = operation.scales ? kFactor : 1;
  const auto scalar = type_ == "double" ? offload::Argument(factor) : offload::Argument(static_cast<float>(factor));
  return job_.timed([&] {
    for (std::uint64_t replica = 0; replica < replications_; ++replica) {
      const auto& arrays = arrays_[replica % arrays_.size()];
      const std::uint64_t first = arrays_.size() == 1 ? replica * each : 0;
      job_.launched(metric_of(operation), replica,
                    queues_[replica]->launch(kernels_[replica], items,
                                             {&arrays[operation.in1], &arrays[operation.in2], &arrays[operation.out],
                                              scalar, first, each, std::int32_t{operation.adds}}));
      queues_[replica]->flush();
    }
    for (const auto& queue : queues_) queue->finish();
  });
}

std::vector<double> Stream::run() {
  std::vector<double> seconds{write()};
  for (const Operation& operation : kOperations) seconds.push_back(launch(operation));
  seconds.push_back(read());
  return seconds;
}

/// On the arrays themselves, as where they lie counts too: results are on the host, and a repetition begins by writing.
std::vector<double> Stream::probe() {
  const auto part = spare_host_.bytes().first(bytes_ / arrays_.size());
  const auto rate_of_copies = [&](const auto& copy) {
    const double seconds = job_.timed([&] {
      for (const auto& set : arrays_)
        for (const Buffer& array : set) copy(array);
    });
    return static_cast<double>(kArrays * bytes_) / seconds * 1e-9;
  };
  std::vector<double> rates{rate_of_copies([&](const auto& array) { job_.queue().write(array, 0, part); })};
  const auto& arrays = arrays_.front();
  for (const Operation& each : kOperations)
    rates.push_back(memory_.rate(arrays[each.in1], arrays[each.in2], arrays[each.out], each.adds ? 2 : 1, part.size()) *
                    1e-9);
  rates.push_back(rate_of_copies([&](const auto& array) { job_.queue().read(array, 0, part); }));
  return rates;
}

Validation Stream::validate() {
  // The same sums, each rounded to the type as the device rounds it.
  std::array<std::vector<double>, kArrays> expected;
  expected.fill(start_of(repetition_));
  const double factor = rounded(type_, type_ == "double" ? kFactor : static_cast<float>(kFactor));
  for (const Operation& each : kOperations)
    for (std::size_t index = 0; index < expected[kA].size(); ++index) {
      const double in = expected[each.in1][index];
      const double scaled = each.scales ? rounded(type_, factor * in) : in;
      expected[each.out][index] = each.adds ? rounded(type_, scaled + expected[each.in2][index]) : scaled;
    }
  Validation found{.what = "largest relative error", .limit = epsilon_of_type(type_) * kOperations.size()};
  for (std::size_t each = 0; each < kArrays; ++each)
    found.error = std::max(found.error, host_[each].largest_relative_error(expected[each]));
  return found;
}

std::vector<ParameterSpec> stream_parameters(const RunConditions& conditions) {
  const bool cpu = conditions.shape() == "cpu";
  const bool single = conditions.variant == Variant::single;
  const bool small = conditions.size == Size::small;
  const char* type = "float";
  const std::int64_t count = std::int64_t{1} << (cpu ? 25 : 28);
  const std::int64_t standard = count << growth_of(conditions, kArrays * sizeof(float) * static_cast<double>(count));
  return {
      {.name = "ARRAY_SIZE",
       .meaning = "values of each array",
       .value = small ? "4194304" : std::to_string(standard),
       .at_run = true},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel, each with its part of the arrays",
       .value = "1",
       .most = 1024},
      {.name = "DATA_TYPE", .meaning = "float, double or half", .kind = ParameterKind::data_type, .value = type},
      {.name = "VECTOR_COUNT",
       .meaning = "values of a vector: 1, 2, 4, 8 or 16",
       .kind = ParameterKind::power_of_two,
       .value = cpu || single ? "16" : "4",
       .most = 16},
      {.name = "GLOBAL_MEM_UNROLL", .meaning = "unrolling of the loops over global memory", .value = "1", .most = 1024},
      {.name = "DEVICE_BUFFER_SIZE",
       .meaning = "vectors of a block in local memory; values of a work-item on a CPU",
       .value = single ? "256" : "16384",
       .most = 1 << 24,
       .multiple_of = single ? std::vector<std::string>{"GLOBAL_MEM_UNROLL"} : std::vector<std::string>{}},
  };
}

Needs stream_needs(const Job& job) {
  const auto count = integer(job, "ARRAY_SIZE");
  const auto replications = integer(job, "NUM_REPLICATIONS");
  const auto vector = integer(job, "VECTOR_COUNT");
  const auto block = integer(job, "DEVICE_BUFFER_SIZE") * (job.conditions().single() ? vector : 1);
  const auto& type = job.parameters().text("DATA_TYPE");
  require_type(type, job.conditions().device);
  if (block % vector != 0)
    throw Error(fmt::format("DEVICE_BUFFER_SIZE={}: expected a multiple of VECTOR_COUNT={}", block, vector));
  const auto step = block * replications * integer(job, "GLOBAL_MEM_UNROLL");
  if (count % step != 0)
    throw Error(
        fmt::format("ARRAY_SIZE={}: expected a multiple of {}: a block of {} values (DEVICE_BUFFER_SIZE) times "
                    "NUM_REPLICATIONS={} times GLOBAL_MEM_UNROLL={}",
                    count, step, block, replications, integer(job, "GLOBAL_MEM_UNROLL")));
  // A processor's memory holds the host's arrays too.
  constexpr std::size_t kOfTheHost = kArrays + 1;
  constexpr double kPasses = 2 + 2 + 3 + 3 + 2 * 3;  // over an array: the four operations, there and back
  const std::size_t array = count * size_of_type(type);
  require_memory(job, "ARRAY_SIZE", (kArrays + (job.conditions().on_cpu() ? kOfTheHost : 0)) * array);
  return {.memory = kArrays * array, .operations = 0, .traffic = kPasses * static_cast<double>(array)};
}

}  // namespace

Entry stream_benchmark() {
  return {"stream", "memory bandwidth: Copy, Scale, Add, Triad, host to device and back", stream_parameters,
          stream_needs, make<Stream>};
}

}  // namespace isthmus::hpcc
