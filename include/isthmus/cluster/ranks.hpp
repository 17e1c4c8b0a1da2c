#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "isthmus/base/error.hpp"

/// Ranks of one job, one for each device: MPI where the program was started by an MPI launcher, else one rank alone.
namespace isthmus::cluster {

/// An error that every rank throws with the same text, so that one of them can say it for all.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Memory that the ranks of one host share: a slot of the same size for each, one after the other, in whole pages.
class SharedSegment {
 public:
  SharedSegment(std::shared_ptr<void> owner, std::vector<std::span<std::byte>> slots)
      : owner_(std::move(owner)), slots_(std::move(slots)) {}
  std::span<std::byte> slot(int rank) const { return slots_[static_cast<std::size_t>(rank)]; }
  std::span<std::byte> whole() const { return {slots_.front().data(), slots_.size() * slots_.front().size()}; }

 private:
  std::shared_ptr<void> owner_;
  std::vector<std::span<std::byte>> slots_;
};

/// In place of a rank to send to or to receive from: nothing is sent or received.
inline constexpr int kNobody = -1;

/// A group of ranks. Every call but `rank` and `size` is made by all of them, in the same order. Copies are the same
/// group.
class Ranks {
 public:
  class Group;
  explicit Ranks(std::shared_ptr<Group> group) : group_(std::move(group)) {}

  int rank() const;
  int size() const;
  bool first() const { return rank() == 0; }

  void barrier() const;
  /// Replaces each value by the largest of all ranks.
  void largest(std::span<double> values) const;
  /// Replaces each value by the sum over all ranks.
  void sum(std::span<double> values) const;
  double largest(double value) const;
  double sum(double value) const;
  /// The root's bytes, on every rank.
  void broadcast(std::span<std::byte> bytes, int root) const;
  /// Returns each rank's text, in the order of ranks, on every rank.
  std::vector<std::string> gather(const std::string& text) const;

  /// Sends bytes to one rank and receives those of another, as many as `in` holds, at the same time (MPI_Sendrecv).
  /// Not by all ranks: by those that are named.
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) const;

  /// The ranks that give the same `colour`, ordered by `key`.
  Ranks split(int colour, int key) const;
  /// A segment, filled with zeros, with a slot of at least `bytes` for each rank; every rank throws AgreedError unless
  /// all are on one host that has room for it.
  SharedSegment shared_segment(std::size_t bytes) const;
  /// The ranks of this host.
  Ranks on_this_host() const;

  /// Runs `body` on each rank. When it throws Error on any, every rank throws AgreedError with the text of the first.
  /// A rank that throws leaves `body` alone: no other may wait for it there, so it has no call in it that all make.
  void agree(const std::function<void()>& body) const;
  /// The same, for what `make` returns.
  template <class Make>
  auto agreed(const Make& make) const {
    std::unique_ptr<std::decay_t<decltype(make())>> made;
    agree([&] { made = std::make_unique<std::decay_t<decltype(make())>>(make()); });
    return std::move(*made);
  }

 private:
  std::shared_ptr<Group> group_;
};

class MpiJob;

/// One rank that has no others.
Ranks alone();

/// This process's part of an MPI job, from its start to its end.
class Job {
 public:
  /// Joins the job of the MPI launcher that started this program; without one there is one rank.
  Job(int& argc, char**& argv);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const Ranks& ranks() const { return ranks_; }
  /// Ends all ranks at once, for an error that the others cannot know of.
  [[noreturn]] void abort(int code) const;

 private:
  std::unique_ptr<MpiJob> mpi_;  // of a program that a launcher started
  Ranks ranks_;
};

}  // namespace isthmus::cluster
