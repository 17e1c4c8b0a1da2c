#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "cluster/group.hpp"

namespace isthmus::cluster {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw Error(fmt::format("{}: {}", call, text));
}

/// MPI counts in int.
constexpr std::size_t kMost = std::numeric_limits<int>::max() / 2;
constexpr int kTag = 1;

int count_of(std::size_t size) {
  return static_cast<int>(size);
}

bool finalized() {
  int done = 0;
  MPI_Finalized(&done);
  return done != 0;
}

int rank_or_null(int rank) {
  return rank == kNobody ? MPI_PROC_NULL : rank;
}

class MpiGroup final : public Ranks::Group {
 public:
  MpiGroup(MPI_Comm communicator, bool owned) : communicator_(communicator), owned_(owned) {
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  }
  ~MpiGroup() override {
    if (owned_ && !finalized()) MPI_Comm_free(&communicator_);
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override { check(MPI_Barrier(communicator_), "MPI_Barrier"); }
  void largest(std::span<double> values) override { reduce(values, MPI_MAX); }
  void sum(std::span<double> values) override { reduce(values, MPI_SUM); }

  void broadcast(std::span<std::byte> bytes, int root) override {
    for (std::size_t at = 0; at < bytes.size(); at += kMost)
      check(MPI_Bcast(bytes.data() + at, count_of(std::min(kMost, bytes.size() - at)), MPI_BYTE, root, communicator_),
            "MPI_Bcast");
  }

  std::vector<std::string> gather(const std::string& text) override {
    const int mine = count_of(text.size());
    std::vector<int> sizes(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, communicator_), "MPI_Allgather");
    std::vector<int> starts(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
    std::string all(static_cast<std::size_t>(starts.back() + sizes.back()), '\0');
    check(MPI_Allgatherv(text.data(), mine, MPI_CHAR, all.data(), sizes.data(), starts.data(), MPI_CHAR, communicator_),
          "MPI_Allgatherv");
    std::vector<std::string> texts;
    texts.reserve(sizes.size());
    for (std::size_t each = 0; each < sizes.size(); ++each)
      texts.push_back(all.substr(static_cast<std::size_t>(starts[each]), static_cast<std::size_t>(sizes[each])));
    return texts;
  }

  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override {
    std::size_t at = 0;
    // A side that has had all its bytes takes no part in what is left of the other side's.
    do {
      const std::size_t sent = std::min(kMost, out.size() - std::min(at, out.size()));
      const std::size_t came = std::min(kMost, in.size() - std::min(at, in.size()));
      check(MPI_Sendrecv(out.data() + std::min(at, out.size()), count_of(sent), MPI_BYTE,
                         rank_or_null(at == 0 || sent > 0 ? to : kNobody), kTag, in.data() + std::min(at, in.size()),
                         count_of(came), MPI_BYTE, rank_or_null(at == 0 || came > 0 ? from : kNobody), kTag,
                         communicator_, MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
      at += kMost;
    } while (at < std::max(out.size(), in.size()));
  }

  std::shared_ptr<Group> split(int colour, int key) override {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(communicator_, colour, key, &part), "MPI_Comm_split");
    return std::make_shared<MpiGroup>(part, true);
  }

  std::shared_ptr<Group> on_this_host() override { return std::make_shared<MpiGroup>(neighbours(), true); }

 private:
  MPI_Comm neighbours() const {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
    return part;
  }

  void reduce(std::span<double> values, MPI_Op operation) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, operation, communicator_),
          "MPI_Allreduce");
  }

  MPI_Comm communicator_;
  bool owned_;
  int rank_ = 0;
  int size_ = 1;
};

class LoadedMpi final : public MpiJob {
 public:
  LoadedMpi(int& argc, char**& argv) {
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
      throw Error("MPI_Init_thread failed");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  LoadedMpi(const LoadedMpi&) = delete;
  LoadedMpi& operator=(const LoadedMpi&) = delete;
  ~LoadedMpi() override { MPI_Finalize(); }

  std::shared_ptr<Ranks::Group> world() override { return std::make_shared<MpiGroup>(MPI_COMM_WORLD, false); }
  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }
};

}  // namespace
}  // namespace isthmus::cluster

isthmus::cluster::MpiJob* isthmus_join_mpi(int& argc, char**& argv) {
  return new isthmus::cluster::LoadedMpi(argc, argv);
}
