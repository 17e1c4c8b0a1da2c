#include "offload/opencl/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::offload::opencl {
namespace {

constexpr auto kVendors = "OCL_ICD_VENDORS";

/// A loader that looks for drivers while this lives finds one more beside those of this machine: in a folder that has
/// links to them all.
class DriverFolder {
 public:
  explicit DriverFolder(const std::filesystem::path& driver) {
    std::string folder = std::filesystem::temp_directory_path() / "isthmus-drivers-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr || setenv(kVendors, folder.c_str(), 1) != 0)
      throw Error(fmt::format("{}: cannot make it: {}", folder, std::strerror(errno)));
    folder_ = folder;
    std::error_code none_there;
    for (const auto& entry : std::filesystem::directory_iterator("/etc/OpenCL/vendors", none_there))
      std::filesystem::create_symlink(entry.path(), folder_ / entry.path().filename());
    std::ofstream named(folder_ / "isthmus-installed.icd");
    named << driver.string() << '\n' << std::flush;
    if (!named) throw Error(fmt::format("{}: cannot write", folder));
  }
  DriverFolder(const DriverFolder&) = delete;
  DriverFolder& operator=(const DriverFolder&) = delete;
  ~DriverFolder() {
    unsetenv(kVendors);
    std::error_code stays;
    std::filesystem::remove_all(folder_, stays);
  }

 private:
  std::filesystem::path folder_;
};

/// Names drivers to a loader already, and no other shall be added.
bool drivers_are_chosen() {
  constexpr std::array kVariables{kVendors, "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"};
  return std::ranges::any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; });
}

void open_loader() {
  constexpr auto kLoader = "libOpenCL.so.1";
  if (dlopen(kLoader, RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  const std::string why = dlerror();
  const auto shipped = find_data_file("record/libOpenCL.so.1");
  if (!shipped || dlopen(shipped->c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Error(
        fmt::format("no OpenCL device: {}: expected an OpenCL loader such as Debian's ocl-icd-libopencl1", why));
}

/// In what was preloaded first, as if the program were linked with the loader.
void* looked_up(const char* function) {
  void* address = dlsym(RTLD_DEFAULT, function);
  if (address == nullptr) throw Error(fmt::format("the OpenCL loader has no function {}", function));
  return address;
}

void load() {
  open_loader();
  // Where the Python package intel-opencl-rt lies if it is installed beside ours.
  const auto driver = find_data_file("lib/libintelocl.so");
  if (!driver || drivers_are_chosen()) return;
  const DriverFolder found_by_the_loader(*driver);
  cl_uint platforms = 0;
  constexpr auto kFirstCall = "clGetPlatformIDs";  // at which a loader looks for drivers
  reinterpret_cast<decltype(&clGetPlatformIDs)>(looked_up(kFirstCall))(0, nullptr, &platforms);
}

}  // namespace

void* address_of(const char* function) {
  static std::once_flag loaded;
  std::call_once(loaded, load);
  return looked_up(function);
}

}  // namespace isthmus::offload::opencl
