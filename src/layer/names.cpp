#include "layer/names.hpp"

#include <algorithm>
#include <cstdio>

#include "layer/information.hpp"
#include "layer/journal.hpp"
#include "layer/kinds.hpp"

namespace isthmus::layer {
namespace {

std::string command_line() {
  std::string words;
  if (std::FILE* const file = std::fopen("/proc/self/cmdline", "re")) {
    char part[4096];
    for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0;) words.append(part, got);
    std::fclose(file);
  }
  if (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

const char* name_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "CPU";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "GPU";
  return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? "accelerator" : "other";
}

}  // namespace

void Names::introduce() {
  if (introduced_in_ == journal().generation()) return;
  introduced_in_ = journal().generation();
  for (std::uint32_t kind = 0; kind < kKinds.size(); ++kind)
    journal().append_text(Text::kind, kind, kKinds[kind].name,
                          static_cast<std::uint32_t>(kKinds[kind].group) | (kKinds[kind].moves ? kMoves : 0));
  journal().append_text(Text::command, 0, command_line());
}

std::uint32_t Names::device(cl_device_id device) {
  if (device == nullptr) return 0;
  Numbered& known =
      devices_.try_emplace(device, Numbered{static_cast<std::uint32_t>(devices_.size()) + 1}).first->second;
  if (known.written_in != journal().generation()) {
    known.written_in = journal().generation();
    write_device(device, known.id);
  }
  return known.id;
}

void Names::write_device(cl_device_id device, std::uint32_t id) {
  const auto ask = driver().clGetDeviceInfo;
  const auto platform = information<cl_platform_id>(ask, device, CL_DEVICE_PLATFORM, nullptr);
  const bool shares = information<cl_bool>(ask, device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) != CL_FALSE;
  journal().append_text(Text::device, id, text_of(ask, device, CL_DEVICE_NAME), shares ? kSharesMemory : 0);
  journal().append_text(Text::driver, id, text_of(ask, device, CL_DRIVER_VERSION));
  journal().append_text(Text::device_type, id, name_of(information<cl_device_type>(ask, device, CL_DEVICE_TYPE, 0)));
  journal().append_text(Text::platform, id, text_of(driver().clGetPlatformInfo, platform, CL_PLATFORM_NAME));
}

Names::Numbered& Names::numbered(std::unordered_map<std::string, Numbered>& known, const std::string& name) {
  return known.try_emplace(name, Numbered{static_cast<std::uint32_t>(known.size()) + 1}).first->second;
}

std::uint32_t Names::kernel(cl_kernel kernel) {
  if (kernel == nullptr) return 0;
  auto found = kernels_.find(kernel);
  if (found == kernels_.end()) {
    const std::string name = text_of(driver().clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME);
    if (name.empty()) return 0;
    found = kernels_.emplace(kernel, &numbered(kernel_names_, name)).first;
  }
  Numbered& known = *found->second;
  if (known.written_in != journal().generation()) {
    known.written_in = journal().generation();
    journal().append_text(Text::kernel, known.id, text_of(driver().clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME));
  }
  return known.id;
}

void Names::extension(std::string_view name) {
  Numbered& known = numbered(extensions_, std::string(name));
  if (known.written_in == journal().generation()) return;
  known.written_in = journal().generation();
  journal().append_text(Text::extension, known.id, name);
}

}  // namespace isthmus::layer
