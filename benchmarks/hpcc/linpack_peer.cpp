#include "linpack_peer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "isthmus/base/error.hpp"

namespace isthmus::bench {
namespace {

// hpcc reads its problem from a file of this form, by lines (TUNING of hpcc 1.5.0); what follows HPL's part keeps the
// other tests to one small problem each.
constexpr const char* kInput = R"(HPLinpack benchmark input file
isthmus
HPL.out
8
1
{size}
1
{block}
0
1
{rows}
{columns}
16.0
1
2
1
4
1
2
1
1
1
0
1
1
2
64
0
0
1
8
#
0
1200
0
40
)";

/// A folder that is gone when this is.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "isthmus-hpcc-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("{}: cannot be made", name));
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The summary's NAME=VALUE lines.
std::map<std::string, std::string> summary(const std::filesystem::path& file) {
  std::map<std::string, std::string> values;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (const auto equals = line.find('='); equals != std::string::npos)
      values[line.substr(0, equals)] = line.substr(equals + 1);
  return values;
}

}  // namespace

LinpackPeer LinpackPeer::fastest(int size) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::optional<LinpackPeer> best;
  double most = 0;
  for (const bool threads : {true, false})
    for (const int block : {128, 192, 256}) {
      const LinpackPeer peer(size, block, 1, threads ? 1 : cores, threads ? cores : 1);
      const double flops = peer.flops();
      if (flops <= most) continue;
      most = flops;
      best = peer;
    }
  return best.value();
}

double LinpackPeer::flops() const {
  const Folder folder;
  std::ofstream(folder.path() / "hpccinf.txt")
      << fmt::format(fmt::runtime(kInput), fmt::arg("size", size_), fmt::arg("block", block_), fmt::arg("rows", rows_),
                     fmt::arg("columns", columns_));
  const std::string command = fmt::format(
      "cd '{}' && OPENBLAS_NUM_THREADS={} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "mpirun --bind-to none -n {} hpcc >log.txt 2>&1",
      folder.path().string(), threads_, rows_ * columns_);
  if (std::system(command.c_str()) != 0) throw Error("hpcc: expected a run without errors; is it installed?");
  const auto values = summary(folder.path() / "hpccoutf.txt");
  if (!values.contains("HPL_Tflops")) throw Error("hpcc: expected HPL_Tflops in hpccoutf.txt");
  return std::stod(values.at("HPL_Tflops")) * 1e12;
}

std::string LinpackPeer::description() const {
  return fmt::format("NB = {}, {} x {} processes of {} threads", block_, rows_, columns_, threads_);
}

}  // namespace isthmus::bench
