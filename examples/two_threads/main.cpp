// Two host threads: one copies frames to the device, the other copies them back, a queue each. A mailbox hands over the
// event of each frame, so that both directions of the link are busy at once. The same bodies run on "opencl:0".
#include <fmt/format.h>

#include <algorithm>
#include <isthmus/offload/open.hpp>

namespace offload = isthmus::offload;

constexpr std::size_t kFrame = 1 << 20;
constexpr std::size_t kFrames = 8;

int main(int argc, char** argv) {
  const auto device = offload::open_device(argc > 1 ? argv[1] : "model:aws-f1", {});
  std::vector<offload::Buffer> buffers;
  for (std::size_t i = 0; i < kFrames; ++i) buffers.push_back(device->buffer(kFrame));
  const auto sent = device->pinned(kFrame * kFrames);
  const auto back = device->pinned(kFrame * kFrames);
  for (std::size_t i = 0; i < kFrame * kFrames; ++i) sent.bytes()[i] = static_cast<std::byte>(i * 7 % 251);
  const auto writes = device->queue();
  const auto reads = device->queue();
  const auto written = device->mailbox(2);

  const auto frame = [](const auto& memory, std::size_t i) { return memory.bytes().subspan(i * kFrame, kFrame); };
  const auto timed = [&](const char* name, std::vector<offload::HostThread> threads) {
    const isthmus::Moment begin = device->now();
    std::ranges::fill(back.bytes(), std::byte{});
    device->run(std::move(threads));
    const double seconds = (device->now() - begin).seconds();
    fmt::print("{}: {} in {:.2f} ms\n", name, std::ranges::equal(sent.bytes(), back.bytes()) ? "right" : "WRONG",
               seconds * 1e3);
  };

  timed("one thread", {{"host", [&] {
                          for (std::size_t i = 0; i < kFrames; ++i) {
                            writes->write(buffers[i], 0, frame(sent, i));
                            reads->read(buffers[i], 0, frame(back, i));
                          }
                        }}});
  timed("two threads", {{"writer",
                         [&] {
                           for (std::size_t i = 0; i < kFrames; ++i) {
                             const offload::Event sending = writes->start_write(buffers[i], 0, frame(sent, i));
                             sending.wait();
                             written->put(sending);
                           }
                         }},
                        {"reader", [&] {
                           for (std::size_t i = 0; i < kFrames; ++i)
                             reads->start_read(buffers[i], 0, frame(back, i), {written->take()}).wait();
                         }}});
}
