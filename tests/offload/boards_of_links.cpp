#include "offload/boards_of_links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/noise.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/board.hpp"
#include "platform/without_section.hpp"

namespace isthmus::offload::over_links {
namespace {

std::string text_of_board(int links) {
  const std::string f1 = read_text(data_file("platforms/aws-f1.toml"));
  const std::string header = "[link.pcie]\n";
  const auto begin = f1.find(header);
  const auto end = f1.find("\n[", begin) + 1;
  const std::string keys = f1.substr(begin + header.size(), end - begin - header.size());
  std::string text = f1.substr(0, begin);
  for (int link = 0; link < links; ++link) text += fmt::format("[link.vh{}]\nkind = \"pcie\"\n{}", link, keys);
  return text + f1.substr(end);
}

/// A queue with its memory in host and device.
class TransferLine {
 public:
  TransferLine(ModelDevice& device, const QueueOfTransfers& what, unsigned number)
      : what_(what), queue_(device.queue()) {
    for (const std::int64_t size : what.sizes) {
      buffers_.push_back(device.buffer(static_cast<std::size_t>(size)));
      sent_.push_back(memory(device, size));
      back_.push_back(memory(device, size));
      fill_with_noise(sent_.back(), number * 977 + static_cast<unsigned>(sent_.size()));
    }
  }

  void enqueue() {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      queue_->start_write(buffers_[i], 0, sent_[i]);
      if (what_.back) queue_->start_read(buffers_[i], 0, back_[i]);
    }
  }
  void finish() { queue_->finish(); }
  void read_back() {
    for (std::size_t i = 0; i < sent_.size(); ++i) queue_->read(buffers_[i], 0, back_[i]);
  }

  std::size_t thread() const { return what_.thread; }
  void add_to(Transferred& sum) const {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      sum.to_device += static_cast<double>(sent_[i].size());
      if (what_.back) sum.to_host += static_cast<double>(sent_[i].size());
      sum.right = sum.right && std::ranges::equal(sent_[i], back_[i]);
    }
  }

 private:
  std::span<std::byte> memory(ModelDevice& device, std::int64_t size) {
    if (what_.pinned) return pinned_.emplace_back(device.pinned(static_cast<std::size_t>(size))).bytes();
    return pageable_.emplace_back(static_cast<std::size_t>(size));
  }

  QueueOfTransfers what_;
  std::unique_ptr<Queue> queue_;
  std::vector<Buffer> buffers_;
  std::vector<PinnedBuffer> pinned_;
  std::vector<std::vector<std::byte>> pageable_;
  std::vector<std::span<std::byte>> sent_;
  std::vector<std::span<std::byte>> back_;
};

}  // namespace

platform::Description board_of_links(int links, const Overrides& overrides) {
  return platform::load(TemporaryFolder().written("board.toml", text_of_board(links)), overrides);
}

platform::Description board_of_links_alone(int links) {
  return platform::load(
      TemporaryFolder().written("board.toml", platform::testing::without_section(text_of_board(links), "dma")));
}

double payload_rate(const platform::Description& board, int link) {
  const fabric::PcieLinkSpec spec = platform::board_spec(board).links.at(static_cast<std::size_t>(link)).pcie;
  const double payload = static_cast<double>(spec.max_payload.count);
  const double overhead = static_cast<double>(std::min(spec.completion_overhead.count, spec.request_overhead.count));
  return fabric::raw_bandwidth(spec).bytes_per_second * payload / (payload + overhead);
}

Transferred transfer(ModelDevice& device, const std::vector<QueueOfTransfers>& queues) {
  std::vector<std::unique_ptr<TransferLine>> lines;
  std::size_t threads = 0;
  for (const QueueOfTransfers& queue : queues) {
    lines.push_back(std::make_unique<TransferLine>(device, queue, static_cast<unsigned>(lines.size())));
    threads = std::max(threads, queue.thread + 1);
  }
  const Moment start = device.now();
  Transferred done;
  std::vector<HostThread> bodies;
  for (std::size_t thread = 0; thread < threads; ++thread)
    bodies.push_back({fmt::format("thread {}", thread), [&, thread] {
                        for (const auto& line : lines)
                          if (line->thread() == thread) line->enqueue();
                        for (const auto& line : lines)
                          if (line->thread() == thread) line->finish();
                        done.elapsed = std::max(done.elapsed, device.now() - start);
                      }});
  device.run(std::move(bodies));
  device.run({{"reads back", [&lines] {
                 for (const auto& line : lines) line->read_back();
               }}});
  for (const auto& line : lines) line->add_to(done);
  return done;
}

}  // namespace isthmus::offload::over_links
