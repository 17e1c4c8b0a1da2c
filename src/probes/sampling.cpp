#include "probes/sampling.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <random>
#include <span>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/load.hpp"
#include "isthmus/base/summary.hpp"

namespace isthmus::probes {
namespace {

constexpr double kWithin = 0.05;                            // of the median, on either side
constexpr std::int64_t kTogether = std::int64_t{1} << 30U;  // bytes of points that are open at once

void add(Point& point, const std::vector<Time>& times) {
  for (const Time time : times) point.finding.samples.push_back(point.value(time));
  point.finding.times.insert(point.finding.times.end(), times.begin(), times.end());
}

bool settled(const Point& point) {
  const auto interval = median_interval(point.finding.samples);
  if (!interval) return false;
  const double median = summarise(point.finding.samples).median;
  return interval->first >= median * (1 - kWithin) && interval->second <= median * (1 + kWithin);
}

/// How many points from `first` on are open at once: at least one.
std::size_t together(std::span<const Point> points, std::size_t first) {
  std::int64_t bytes = points[first].memory.count;
  std::size_t last = first + 1;
  while (last < points.size() && bytes + points[last].memory.count <= kTogether) bytes += points[last++].memory.count;
  return last;
}

class Passes {
 public:
  Passes(const Job& job, offload::Device& device, std::span<Point> points)
      : job_(job), points_(points), random_(job.seed) {
    try {
      for (const Point& point : points_) samplers_.push_back(point.open ? point.open(device) : nullptr);
    } catch (const Error&) {
      failure_ = std::current_exception();  // there may be no room for a large one: the others are measured
    }
  }

  void run() {
    for (int pass = 0; pass < job_.samples; ++pass) {
      std::vector<std::size_t> order = unsettled();
      std::ranges::shuffle(order, random_);
      for (const std::size_t at : order) {
        stop_if_interrupted();
        add(points_[at], samplers_[at]->take(1));
      }
    }
    for (const auto& sampler : samplers_)
      if (sampler) sampler->check();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::vector<std::size_t> unsettled() const {
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < samplers_.size(); ++at)
      if (samplers_[at] && !settled(points_[at])) found.push_back(at);
    return found;
  }

  const Job& job_;
  std::span<Point> points_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
  std::exception_ptr failure_;
  std::mt19937_64 random_;
};

void report_all(std::span<Point> points, const LoadMeter& meter, const Report& report) {
  const auto load = meter.load();
  for (Point& point : points) {
    point.finding.load = load;
    if (!point.finding.samples.empty()) report(point.finding);
  }
}

void measure_in_passes(const Job& job, offload::Device& device, std::span<Point> points, const Report& report) {
  const LoadMeter meter;
  try {
    Passes(job, device, points).run();
  } catch (...) {  // Ctrl-C, or the device has vanished: what was measured stays
    report_all(points, meter, report);
    throw;
  }
  report_all(points, meter, report);
}

/// What the clock moves by outside of runs is work of the host: an allocation.
std::optional<double> host_busy(Time elapsed, std::optional<Time> waited) {
  if (!waited || elapsed.femtoseconds() <= 0) return {};
  return std::clamp(1 - waited->seconds() / elapsed.seconds(), 0.0, 1.0);
}

void measure_model(const Job& job, Target& target, Point& point) {
  offload::Device& device = target.open();
  const std::unique_ptr<Sampler> sampler = point.open(device);
  const Moment before = device.now();
  add(point, sampler->take(job.samples));
  if (job.samples == 1) point.finding.host_busy = host_busy(device.now() - before, target.host_waited());
  sampler->check();
}

}  // namespace

std::vector<Time> sample(Sampler& sampler, int samples) {
  std::vector<Time> times = sampler.take(samples);
  sampler.check();
  return times;
}

void measure(const Job& job, Target& target, std::vector<Point> points, const Report& report) {
  if (!target.open().properties().modelled) {
    for (std::size_t first = 0; first < points.size();) {
      const std::size_t last = together(points, first);
      measure_in_passes(job, target.open(), std::span(points).subspan(first, last - first), report);
      first = last;
    }
    return;
  }
  for (Point& point : points) {
    if (point.open) measure_model(job, target, point);
    report(point.finding);
  }
}

}  // namespace isthmus::probes
