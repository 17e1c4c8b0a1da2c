#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/offload/open.hpp"
#include "offload/copies.hpp"

namespace isthmus::offload {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

/// A kernel source that the device finds beside this test program.
void write_kernel(const std::string& name, const std::string& source) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (name + ".cl")) << source;
}

TEST(OpenClDevices, AreNumberedFromZeroWithPoClFirst) {
  const auto devices = opencl_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].platform, "Portable Computing Language");
  for (std::size_t i = 0; i < devices.size(); ++i) EXPECT_EQ(devices[i].target, "opencl:" + std::to_string(i));
  EXPECT_EQ(devices[0].type, "cpu");
  EXPECT_GT(devices[0].compute_units, 0);
  EXPECT_GT(devices[0].global_memory, 0);
  EXPECT_LE(devices[0].max_allocation, devices[0].global_memory);
}

TEST(OpenOpenCl, ByNumberByPlatformAndByPartOfANameInAnyCaseIsTheSameDevice) {
  const std::string name = opencl_devices()[0].name;
  std::string shouted = name.substr(1, 5);
  std::ranges::transform(shouted, shouted.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& target : {std::string("opencl:0"), std::string("opencl:portable"), "opencl:" + shouted})
    EXPECT_EQ(open_opencl(target)->properties().name, name) << target;
}

TEST(OpenOpenCl, ANumberWithoutADeviceIsRefused) {
  const auto listed = HasSubstr("the devices here are opencl:0 (" + opencl_devices()[0].name + ")");
  EXPECT_THAT([] { open_opencl("opencl:99"); }, ThrowsMessage<Error>(AllOf(HasSubstr("'opencl:99'"), listed)));
  EXPECT_THAT([] { open_opencl("opencl:99999999999999999999999"); }, ThrowsMessage<Error>(listed));
}

TEST(OpenOpenCl, ANameWithoutADeviceIsRefusedWithTheNamesThereAre) {
  EXPECT_THAT([] { open_opencl("opencl:nothing-like-it"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'opencl:nothing-like-it'"), HasSubstr(opencl_devices()[0].name))));
  EXPECT_THAT([] { open_opencl("opencl:"); }, ThrowsMessage<Error>(HasSubstr("did you mean 'opencl:0'?")));
}

class OpenCl : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = open_opencl("opencl:0");
  std::unique_ptr<Queue> queue_ = device_->queue();
};

TEST_F(OpenCl, ABufferGivesBackWhatWasWritten) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{1} << 20}) {
    Copies copies(*device_, bytes);
    device_->run([&] {
      copies.write();
      copies.read();
    });
    EXPECT_EQ(copies.back, copies.sent);
    copies.back.assign(bytes, {});
    device_->run([&] {
      copies.start_write();
      copies.start_read();
      copies.queue->finish();
    });
    EXPECT_EQ(copies.back, copies.sent);
  }
}

TEST_F(OpenCl, ABufferKeepsItsBytesFromRunToRun) {
  Copies copies(*device_, 64);
  device_->run([&] { copies.write(); });
  device_->run([&] { copies.read(); });
  EXPECT_EQ(copies.back, copies.sent);
}

TEST_F(OpenCl, ACopyLargerThanItsBufferIsRefused) {
  const auto buffer = device_->buffer(8);
  std::vector<std::byte> bytes(9);
  EXPECT_THAT([&] { device_->run([&] { queue_->write(buffer, 0, bytes); }); },
              ThrowsMessage<Error>(HasSubstr("9 bytes at 0 does not fit a buffer of 8")));
  EXPECT_THAT([&] { device_->run([&] { queue_->read(buffer, 0, bytes); }); },
              ThrowsMessage<Error>(HasSubstr("9 bytes at 0 does not fit a buffer of 8")));
}

TEST_F(OpenCl, ABufferLargerThanTheDeviceIsRefusedWithTheLimit) {
  const std::int64_t most = opencl_devices()[0].max_allocation;
  EXPECT_THAT([&] { device_->buffer(std::size_t{1} << 60U); },
              ThrowsMessage<Error>(AllOf(HasSubstr(device_->properties().name), HasSubstr("no room"),
                                         HasSubstr("one may have " + std::to_string(most)))));
}

TEST_F(OpenCl, AKernelSeesItsArgumentsAndItsItems) {
  write_kernel("number_items",
               "__kernel void number_items(__global int *out, int first, int factor) {\n"
               "  const int i = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));\n"
               "  out[i] = first + factor * i;\n"
               "}\n");
  const auto kernel = device_->kernel("number_items");
  const auto buffer = device_->buffer(15 * 4);
  std::vector<std::int32_t> numbers(15);
  device_->run([&] {
    queue_->launch(kernel, {.global = {5, 3, 1}}, {&buffer, 100, -2});
    queue_->read(buffer, 0, std::as_writable_bytes(std::span(numbers)));
  });
  for (int i = 0; i < 15; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], 100 - 2 * i);
}

TEST_F(OpenCl, ALaunchWithOtherArgumentsThanTheKernelsIsRefused) {
  write_kernel("one_argument", "__kernel void one_argument(__global int *out) { out[get_global_id(0)] = 1; }\n");
  const auto kernel = device_->kernel("one_argument");
  const auto buffer = device_->buffer(4);
  const auto refused = HasSubstr("kernel 'one_argument' has 1 arguments, expected 2");
  EXPECT_THAT([&] { queue_->launch(kernel, {}, {&buffer, 1}); }, ThrowsMessage<Error>(refused));
}

TEST_F(OpenCl, ABuildFailureNamesTheFileAndTheCompilersComplaintInOneLine) {
  write_kernel("broken", "__kernel void broken(__global int *out) { out[0] = undeclared_name; }\n");
  const auto refused = AllOf(HasSubstr("kernels/broken.cl"), HasSubstr("CL_BUILD_PROGRAM_FAILURE (-11)"),
                             HasSubstr("undeclared_name"), Not(HasSubstr("\n")));
  EXPECT_THAT([&] { device_->kernel("broken"); }, ThrowsMessage<Error>(refused));
}

TEST_F(OpenCl, AKernelThatDoesNotExistIsRefusedWithItsFile) {
  EXPECT_THAT([&] { device_->kernel("no_such_kernel"); }, ThrowsMessage<Error>(HasSubstr("kernels/no_such_kernel.cl")));
}

TEST_F(OpenCl, TheClockGoesOnAndEveryCommandLiesWithinItsRun) {
  const Copies copies(*device_, 1 << 20);
  device_->align_clocks();
  const Moment before = device_->now();
  Event event;
  device_->run([&] {
    event = copies.start_write();
    event.wait();
    EXPECT_GE(device_->now(), before);
  });
  const Span span = event.span();
  // The two clocks are aligned to what one small command takes.
  EXPECT_GT(span.start + Time::ms(100), before);
  EXPECT_LT(span.end, device_->now() + Time::ms(100));
  EXPECT_GT(span.length(), Time());
}

TEST_F(OpenCl, NoCommandSeemsToStartBeforeItIsAskedFor) {
  constexpr int kDevices = 20;
  for (int i = 0; i < kDevices; ++i) {
    const auto device = open_opencl("opencl:0");
    const Copies copies(*device, 64);
    device->align_clocks();
    Moment asked;
    Event event;
    device->run({{"host", [&] {
                    asked = device->now();
                    event = copies.write();
                  }}});
    EXPECT_GE(event.span().start, asked);
  }
}

TEST_F(OpenCl, ACommandStartsAfterTheEventsItWaitsForOfOtherQueues) {
  const auto other = device_->queue();
  Copies copies(*device_, 1 << 22);
  Event write;
  Event read;
  device_->run([&] {
    write = copies.start_write();
    copies.queue->flush();
    read = other->start_read(copies.buffer, 0, copies.back, {write});
    read.wait();
  });
  EXPECT_GE(read.span().start, write.span().end);
  EXPECT_EQ(copies.back, copies.sent);
}

TEST_F(OpenCl, AMailboxHandsEventsOverInOrderAndHoldsNoMoreThanItsDepth) {
  const auto mailbox = device_->mailbox(2);
  const Copies copies(*device_, 16);
  std::vector<Event> sent;
  std::vector<Event> received;
  device_->run({{"sender",
                 [&] {
                   for (int i = 0; i < 50; ++i) {
                     sent.push_back(copies.write());
                     mailbox->put(sent.back());
                   }
                 }},
                {"receiver", [&] {
                   for (int i = 0; i < 50; ++i) received.push_back(mailbox->take());
                 }}});
  EXPECT_EQ(received, sent);
}

TEST_F(OpenCl, OneBodyAloneRunsInTheThreadThatAsksForIt) {
  std::thread::id seen;
  device_->run([&] { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST_F(OpenCl, AFailureInOneHostThreadEndsTheOthersAtTheirMailboxes) {
  const auto empty = device_->mailbox(1);
  const auto full = device_->mailbox(1);
  EXPECT_THAT(
      [&] {
        device_->run(
            {{"fails", [] { throw Error("the first failure"); }}, {"takes", [&] { empty->take(); }}, {"puts", [&] {
                                                                                                        for (;;)
                                                                                                          full->put({});
                                                                                                      }}});
      },
      ThrowsMessage<Error>("the first failure"));
}

}  // namespace
}  // namespace isthmus::offload
