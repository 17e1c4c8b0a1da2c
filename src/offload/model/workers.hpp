#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "offload/model/command.hpp"

namespace isthmus::offload::model {

/// The workers that do commands: for each host thread a worker at each link, which does its transfers over that, and
/// for each kernel one, which does its launches for all threads. Without links a thread has one all the same.
class Workers {
 public:
  Workers(std::size_t threads, std::size_t kernels, std::size_t links)
      : threads_(threads), kernels_(kernels), links_(links) {}
  std::size_t threads() const { return threads_; }
  std::size_t kernels() const { return kernels_; }
  std::size_t links() const { return links_; }
  std::size_t count() const { return threads_ * links_ + kernels_; }
  std::size_t of_transfers(std::size_t thread, std::size_t link) const { return thread * links_ + link; }
  std::size_t of_launches(std::size_t kernel) const { return threads_ * links_ + kernel; }

 private:
  std::size_t threads_;
  std::size_t kernels_;
  std::size_t links_;
};

/// What is under way over each link of a board, by which transfers are given to them.
class LinkLoads {
 public:
  /// The rates of the links.
  explicit LinkLoads(std::vector<Bandwidth> rates) : rates_(std::move(rates)), loads_(rates_.size()) {}
  std::size_t links() const { return rates_.size(); }

  /// The one of `links` that would finish the transfer first, behind what is under way in its direction. If several
  /// would at one time, it is the one that has less under way in the other direction; then the first.
  std::size_t best(const std::vector<std::size_t>& links, const Command& transfer) const;
  void begin(std::size_t link, const Command& transfer);
  void end(std::size_t link, const Command& transfer);

 private:
  struct Load {
    std::uint64_t to_device = 0;
    std::uint64_t to_host = 0;
    std::uint64_t& along(DeviceWork work) { return work == DeviceWork::to_device ? to_device : to_host; }
    std::uint64_t along(DeviceWork work) const { return work == DeviceWork::to_device ? to_device : to_host; }
    std::uint64_t against(DeviceWork work) const { return work == DeviceWork::to_device ? to_host : to_device; }
  };
  Time takes(std::size_t link, std::uint64_t bytes) const;

  std::vector<Bandwidth> rates_;
  std::vector<Load> loads_;
};

}  // namespace isthmus::offload::model
