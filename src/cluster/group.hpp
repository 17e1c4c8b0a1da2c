#pragma once

#include <algorithm>
#include <memory>

#include "isthmus/cluster/ranks.hpp"

namespace isthmus::cluster {

/// What a group of ranks does for Ranks.
class Ranks::Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void barrier() = 0;
  virtual void largest(std::span<double> values) = 0;
  virtual void sum(std::span<double> values) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual std::vector<std::string> gather(const std::string& text) = 0;
  virtual void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) = 0;
  virtual std::shared_ptr<Group> split(int colour, int key) = 0;
  virtual std::shared_ptr<Group> on_this_host() = 0;
};

inline constexpr std::size_t kPage = 4096;

inline std::size_t whole_pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
}

/// A job of MPI, from MPI_Init to MPI_Finalize.
class MpiJob {
 public:
  MpiJob() = default;
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;
  virtual ~MpiJob() = default;

  virtual std::shared_ptr<Ranks::Group> world() = 0;
  /// Ends all ranks.
  virtual void abort(int code) = 0;
};

}  // namespace isthmus::cluster

/// Joins the job of the launcher that started this program. It is looked up by its name in the library isthmus-mpi, so
/// that a program without ranks runs where there is no MPI.
extern "C" isthmus::cluster::MpiJob* isthmus_join_mpi(int& argc, char**& argv);
