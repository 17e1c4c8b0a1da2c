// Functions of extensions between a program and the drivers of two platforms, which here do nothing but count: the
// layer is loaded as an OpenCL loader loads it.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/temporary_folder.hpp"
#include "layer/opencl.hpp"
#include "layer/recorded.hpp"

namespace isthmus::layer {
namespace {

/// The objects of a platform; their addresses are the handles.
struct Platform {
  int calls = 0;
  char platform = 0, device = 0, context = 0, queue = 0, kernel = 0, command_buffer = 0;
};
std::array<Platform, 2> platforms;

template <class Handle>
Handle handle(char& object) {
  return reinterpret_cast<Handle>(&object);
}

Platform& platform_with(char Platform::*part, const void* object) {
  return platforms[&(platforms[0].*part) == object ? 0 : 1];
}

template <class Value>
cl_int tell(Value value, size_t room, void* place) {
  if (room < sizeof value || place == nullptr) return CL_INVALID_VALUE;
  std::memcpy(place, &value, sizeof value);
  return CL_SUCCESS;
}

cl_int CL_API_CALL about_queue(cl_command_queue queue, cl_command_queue_info name, size_t room, void* place, size_t*) {
  if (name != CL_QUEUE_DEVICE) return CL_INVALID_VALUE;
  return tell(handle<cl_device_id>(platform_with(&Platform::queue, queue).device), room, place);
}

cl_int CL_API_CALL about_context(cl_context context, cl_context_info, size_t room, void* place, size_t*) {
  return tell(handle<cl_device_id>(platform_with(&Platform::context, context).device), room, place);
}

cl_int CL_API_CALL about_kernel(cl_kernel kernel, cl_kernel_info name, size_t room, void* place, size_t*) {
  if (name != CL_KERNEL_CONTEXT) return CL_INVALID_VALUE;
  return tell(handle<cl_context>(platform_with(&Platform::kernel, kernel).context), room, place);
}

cl_int CL_API_CALL about_device(cl_device_id device, cl_device_info name, size_t room, void* place, size_t*) {
  if (name != CL_DEVICE_PLATFORM) return CL_INVALID_VALUE;
  return tell(handle<cl_platform_id>(platform_with(&Platform::device, device).platform), room, place);
}

cl_int CL_API_CALL about_platform(cl_platform_id, cl_platform_info, size_t, void*, size_t*) {
  return CL_INVALID_VALUE;
}

template <int kPlatform, class Result>
struct Counting {
  template <class... Arguments>
  static Result CL_API_CALL call(Arguments...) {
    ++platforms[kPlatform].calls;
    if constexpr (std::is_pointer_v<Result>) return reinterpret_cast<Result>(&platforms[kPlatform].command_buffer);
    return Result{};
  }
};

/// What the drivers answer for a name; each test sets it.
std::array<void*, 2> functions{};

void* CL_API_CALL function_of(cl_platform_id platform, const char*) {
  return functions[&platform_with(&Platform::platform, platform) == &platforms[0] ? 0 : 1];
}

struct Layer {
  const cl_icd_dispatch* table = nullptr;
  std::unique_ptr<TemporaryFolder> folder = std::make_unique<TemporaryFolder>();
};

Layer load() {
  Layer found;
  setenv("ISTHMUS_RECORD_DIR", found.folder->path().c_str(), 1);
  void* const library = dlopen(ISTHMUS_RECORD_LAYER, RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto init = reinterpret_cast<pfn_clInitLayer>(dlsym(library, "clInitLayer"));
  static cl_icd_dispatch driver{};
  driver.clGetCommandQueueInfo = about_queue;
  driver.clGetContextInfo = about_context;
  driver.clGetKernelInfo = about_kernel;
  driver.clGetDeviceInfo = about_device;
  driver.clGetPlatformInfo = about_platform;
  driver.clGetExtensionFunctionAddressForPlatform = function_of;
  cl_uint count = 0;
  if (init(sizeof driver / sizeof(void*), &driver, &count, &found.table) != CL_SUCCESS)
    throw std::runtime_error("clInitLayer");
  return found;
}

const Layer& layer() {
  static const Layer only = load();
  return only;
}

/// The calls of this kind in the journal.
std::vector<CallSlot> recorded(const std::string& kind) {
  std::vector<CallSlot> found;
  for (const auto& entry : std::filesystem::directory_iterator(layer().folder->path())) {
    const Recorded journal = read_journal(entry.path());
    for (const CallSlot& call : journal.calls)
      if (journal.kind(call) == kind) found.push_back(call);
  }
  return found;
}

/// One function, `run(function, platform)` for each platform: each driver's own is called, and a call is recorded.
template <class Function, class Run>
void expect_call_of_each_platform(const char* name, const std::string& kind, std::uint64_t bytes, const Run& run) {
  SCOPED_TRACE(name);
  using Result = std::invoke_result_t<Run, Function, Platform&>;
  functions = {reinterpret_cast<void*>(static_cast<Function>(Counting<0, Result>::call)),
               reinterpret_cast<void*>(static_cast<Function>(Counting<1, Result>::call))};
  const auto before = recorded(kind).size();
  std::array<Function, 2> given{};
  for (std::size_t at = 0; at < platforms.size(); ++at)
    given[at] = reinterpret_cast<Function>(
        layer().table->clGetExtensionFunctionAddressForPlatform(handle<cl_platform_id>(platforms[at].platform), name));
  for (const std::size_t at : {std::size_t{1}, std::size_t{0}}) {
    EXPECT_NE(reinterpret_cast<void*>(given[at]), functions[at]);
    const std::array<int, 2> calls{platforms[0].calls, platforms[1].calls};
    // As a loader gives a program the first that it is asked for.
    run(given[0], platforms[at]);
    EXPECT_EQ(platforms[at].calls, calls[at] + 1);
    EXPECT_EQ(platforms[1 - at].calls, calls[1 - at]);
  }
  const auto after = recorded(kind);
  ASSERT_EQ(after.size(), before + 2);
  EXPECT_EQ(after.back().bytes, bytes);
  EXPECT_EQ(after.back().result, CL_SUCCESS);
}

cl_command_queue queue(Platform& of) {
  return handle<cl_command_queue>(of.queue);
}
cl_context context(Platform& of) {
  return handle<cl_context>(of.context);
}

char room[64];

TEST(Extensions, OfUnifiedMemoryAreRecordedAndReachTheDriverOfTheirObjects) {
  expect_call_of_each_platform<clHostMemAllocINTEL_fn>(
      "clHostMemAllocINTEL", "allocate USM", 9,
      [](auto f, Platform& of) { return f(context(of), nullptr, 9, 0, nullptr); });
  expect_call_of_each_platform<clDeviceMemAllocINTEL_fn>(
      "clDeviceMemAllocINTEL", "allocate USM", 8,
      [](auto f, Platform& of) { return f(context(of), nullptr, nullptr, 8, 0, nullptr); });
  expect_call_of_each_platform<clSharedMemAllocINTEL_fn>(
      "clSharedMemAllocINTEL", "allocate USM", 7,
      [](auto f, Platform& of) { return f(context(of), nullptr, nullptr, 7, 0, nullptr); });
  expect_call_of_each_platform<clMemFreeINTEL_fn>("clMemFreeINTEL", "release USM", 0,
                                                  [](auto f, Platform& of) { return f(context(of), room); });
  expect_call_of_each_platform<clMemBlockingFreeINTEL_fn>("clMemBlockingFreeINTEL", "release USM", 0,
                                                          [](auto f, Platform& of) { return f(context(of), room); });
  expect_call_of_each_platform<clSetKernelArgMemPointerINTEL_fn>(
      "clSetKernelArgMemPointerINTEL", "set USM argument", 0,
      [](auto f, Platform& of) { return f(handle<cl_kernel>(of.kernel), 0, room); });
  expect_call_of_each_platform<clEnqueueMemcpyINTEL_fn>(
      "clEnqueueMemcpyINTEL", "USM copy", 6,
      [](auto f, Platform& of) { return f(queue(of), CL_FALSE, room, room, 6, 0, nullptr, nullptr); });
  expect_call_of_each_platform<clEnqueueMemFillINTEL_fn>(
      "clEnqueueMemFillINTEL", "USM fill", 5,
      [](auto f, Platform& of) { return f(queue(of), room, room, 1, 5, 0, nullptr, nullptr); });
  expect_call_of_each_platform<clEnqueueMemsetINTEL_fn>(
      "clEnqueueMemsetINTEL", "USM fill", 4,
      [](auto f, Platform& of) { return f(queue(of), room, 1, 4, 0, nullptr, nullptr); });
  expect_call_of_each_platform<clEnqueueMigrateMemINTEL_fn>(
      "clEnqueueMigrateMemINTEL", "USM migrate", 3,
      [](auto f, Platform& of) { return f(queue(of), room, 3, 0, 0, nullptr, nullptr); });
  expect_call_of_each_platform<clEnqueueMemAdviseINTEL_fn>(
      "clEnqueueMemAdviseINTEL", "USM advise", 0,
      [](auto f, Platform& of) { return f(queue(of), room, 3, 0, 0, nullptr, nullptr); });
}

TEST(Extensions, ThatMoveDataBySymbolAreRecordedAndReachTheDriverOfTheirQueue) {
  using Pipe = cl_int(CL_API_CALL*)(cl_command_queue, cl_program, const char*, cl_bool, void*, size_t, cl_uint,
                                    const cl_event*, cl_event*);
  using Variable = cl_int(CL_API_CALL*)(cl_command_queue, cl_program, const char*, cl_bool, size_t, size_t, void*,
                                        cl_uint, const cl_event*, cl_event*);
  const auto pipe = [](Pipe f, Platform& of) {
    return f(queue(of), nullptr, "pipe", CL_TRUE, room, 32, 0, nullptr, nullptr);
  };
  const auto variable = [](Variable f, Platform& of) {
    return f(queue(of), nullptr, "variable", CL_TRUE, 16, 8, room, 0, nullptr, nullptr);
  };
  expect_call_of_each_platform<Pipe>("clEnqueueReadHostPipeINTEL", "read host pipe", 32, pipe);
  expect_call_of_each_platform<Pipe>("clEnqueueWriteHostPipeINTEL", "write host pipe", 32, pipe);
  expect_call_of_each_platform<Variable>("clEnqueueReadGlobalVariableINTEL", "read global variable", 16, variable);
  expect_call_of_each_platform<Variable>("clEnqueueWriteGlobalVariableINTEL", "write global variable", 16, variable);
}

TEST(Extensions, ThatOrderCommandsOrMakeProgramsAreRecordedAndReachTheDriverOfTheirObjects) {
  const auto lend = [](auto f, Platform& of) { return f(queue(of), 0, nullptr, 0, nullptr, nullptr); };
  expect_call_of_each_platform<clEnqueueAcquireExternalMemObjectsKHR_fn>("clEnqueueAcquireExternalMemObjectsKHR",
                                                                         "acquire external memory", 0, lend);
  expect_call_of_each_platform<clEnqueueReleaseExternalMemObjectsKHR_fn>("clEnqueueReleaseExternalMemObjectsKHR",
                                                                         "release external memory", 0, lend);
  const auto semaphores = [](auto f, Platform& of) { return f(queue(of), 0, nullptr, nullptr, 0, nullptr, nullptr); };
  expect_call_of_each_platform<clEnqueueWaitSemaphoresKHR_fn>("clEnqueueWaitSemaphoresKHR", "wait for semaphores", 0,
                                                              semaphores);
  expect_call_of_each_platform<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR", "signal semaphores", 0,
                                                                semaphores);
  expect_call_of_each_platform<clCreateProgramWithILKHR_fn>(
      "clCreateProgramWithILKHR", "create program with IL", 0,
      [](auto f, Platform& of) { return f(context(of), room, sizeof room, nullptr); });
}

std::array<cl_queue_properties, 3> asked{};

cl_command_queue CL_API_CALL make_queue(cl_context, cl_device_id, const cl_queue_properties* list, cl_int*) {
  std::copy_n(list, asked.size(), asked.begin());
  return queue(platforms[0]);
}

TEST(Extensions, ThatMakeQueuesMakeThemWithProfiling) {
  functions = {reinterpret_cast<void*>(make_queue), nullptr};
  const auto make = reinterpret_cast<clCreateCommandQueueWithPropertiesKHR_fn>(
      layer().table->clGetExtensionFunctionAddressForPlatform(handle<cl_platform_id>(platforms[0].platform),
                                                              "clCreateCommandQueueWithPropertiesKHR"));
  const std::array<cl_queue_properties_khr, 3> list{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  EXPECT_EQ(make(context(platforms[0]), nullptr, list.data(), nullptr), queue(platforms[0]));
  EXPECT_THAT(asked, testing::ElementsAre(CL_QUEUE_PROPERTIES,
                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0));
}

TEST(Extensions, ThatTheLayerDoesNotKnowAreTheDriversAndNamed) {
  functions = {room, room};
  EXPECT_EQ(layer().table->clGetExtensionFunctionAddressForPlatform(handle<cl_platform_id>(platforms[0].platform),
                                                                    "clFancyKHR"),
            room);
  functions = {nullptr, nullptr};
  EXPECT_EQ(layer().table->clGetExtensionFunctionAddressForPlatform(handle<cl_platform_id>(platforms[0].platform),
                                                                    "clEnqueueMemcpyINTEL"),
            nullptr);
  std::vector<std::string> named;
  for (const auto& entry : std::filesystem::directory_iterator(layer().folder->path()))
    for (const auto& [what, text] : read_journal(entry.path()).texts)
      if (what.first == Text::extension) named.push_back(text);
  EXPECT_THAT(named, testing::ElementsAre("clFancyKHR"));
}

}  // namespace
}  // namespace isthmus::layer
