#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cluster/group.hpp"
#include "isthmus/base/data_file.hpp"

namespace isthmus::cluster {
namespace {

/// Tells whether a launcher of MPI jobs started this program: OpenMPI's, MPICH's, or Slurm's with PMI or PMIx.
bool launched_by_mpi() {
  constexpr std::array kMarks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"};
  return std::ranges::any_of(kMarks, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Slurm starts tasks that know nothing of each other where it did not get PMIx: each would be a job of its own.
void refuse_tasks_without_mpi() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks != nullptr && std::strcmp(tasks, "1") != 0)
    throw Error(fmt::format("srun started {} tasks without MPI: expected srun --mpi=pmix", tasks));
}

/// A rank whose device is the processor waits on the cores that its kernels need: OpenMPI yields them if a variable
/// says so before it starts.
void yield_while_waiting() {
  constexpr int kOnlyIfUnset = 0;
  if (setenv("OMPI_MCA_mpi_yield_when_idle", "1", kOnlyIfUnset) != 0)
    throw Error(fmt::format("cannot set OMPI_MCA_mpi_yield_when_idle: {}", std::strerror(errno)));
}

std::unique_ptr<MpiJob> join(int& argc, char**& argv) {
  // OpenMPI's plugins look for its functions among those of the whole program.
  void* library = dlopen(data_file("lib/libisthmus-mpi.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* function = library == nullptr ? nullptr : dlsym(library, "isthmus_join_mpi");
  if (function == nullptr)
    throw Error(fmt::format("ranks: {}: expected OpenMPI 4, such as Debian's libopenmpi3", dlerror()));
  return std::unique_ptr<MpiJob>(reinterpret_cast<decltype(&isthmus_join_mpi)>(function)(argc, argv));
}

}  // namespace

Job::Job(int& argc, char**& argv) : ranks_(alone()) {
  if (!launched_by_mpi()) {
    refuse_tasks_without_mpi();
    return;
  }
  yield_while_waiting();
  mpi_ = join(argc, argv);
  ranks_ = Ranks(mpi_->world());
}

Job::~Job() = default;

void Job::abort(int code) const {
  if (mpi_ != nullptr && ranks_.size() > 1) mpi_->abort(code);
  std::_Exit(code);
}

}  // namespace isthmus::cluster
