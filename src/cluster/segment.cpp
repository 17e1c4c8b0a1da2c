#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "cluster/group.hpp"

namespace isthmus::cluster {
namespace {

[[noreturn]] void refuse(const char* call, std::size_t bytes, int code) {
  throw Error(fmt::format("{}: no {} bytes of memory that ranks share: {}", call, bytes,
                          std::generic_category().message(code)));
}

/// POSIX shared memory, by a name that leads to it for as long as the rank that made it keeps this object.
class Memory {
 public:
  /// A new one.
  explicit Memory(std::size_t bytes)
      : name_(fmt::format("/isthmus-{}-{:08x}", getpid(), std::random_device()())),
        bytes_(bytes),
        file_(open(O_RDWR | O_CREAT | O_EXCL)),
        named_(nullptr, [name = name_](void*) { shm_unlink(name.c_str()); }) {
    // Sets pages aside: without, a host that has none left would end whoever touches them first by a signal.
    if (const int code = posix_fallocate(file_.number, 0, static_cast<off_t>(bytes)); code != 0)
      refuse("posix_fallocate", bytes, code);
  }
  /// One that another rank has made.
  Memory(std::string name, std::size_t bytes) : name_(std::move(name)), bytes_(bytes), file_(open(O_RDWR)) {}

  const std::string& name() const { return name_; }

  std::shared_ptr<void> map() const {
    void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number, 0);
    if (start == MAP_FAILED) refuse("mmap", bytes_, errno);
    return {start, [bytes = bytes_](void* mapped) { munmap(mapped, bytes); }};
  }

 private:
  struct File {
    explicit File(int opened) : number(opened) {}
    File(File&& other) noexcept : number(std::exchange(other.number, -1)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
      if (number >= 0) close(number);
    }
    int number;
  };

  File open(int flags) const {
    const int number = shm_open(name_.c_str(), flags, S_IRUSR | S_IWUSR);
    if (number < 0) refuse("shm_open", bytes_, errno);
    return File(number);
  }

  std::string name_;
  std::size_t bytes_;
  File file_;
  std::shared_ptr<void> named_;
};

}  // namespace

/// Not a window of MPI's: while those are made, a rank that has no room leaves the others waiting for it.
SharedSegment Ranks::shared_segment(std::size_t bytes) const {
  const int here = on_this_host().size();
  const std::size_t slot = whole_pages(bytes);
  const std::size_t whole = static_cast<std::size_t>(size()) * slot;
  const auto make = [&]() -> std::optional<Memory> {
    if (here != size())
      throw Error(fmt::format("--scheme shared: expected all {} ranks on one host, {} are on this one", size(), here));
    if (!first()) return {};
    return Memory(whole);
  };
  const std::optional<Memory> made = agreed(make);
  const std::string name = gather(made ? made->name() : std::string()).front();
  const auto owner = agreed([&] { return made ? made->map() : Memory(name, whole).map(); });
  const std::span pages(static_cast<std::byte*>(owner.get()), whole);
  std::vector<std::span<std::byte>> slots;
  for (std::size_t at = 0; at < whole; at += slot) slots.push_back(pages.subspan(at, slot));
  return {owner, std::move(slots)};
}

}  // namespace isthmus::cluster
