#include "offload/boards_of_links.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "isthmus/base/data_file.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/board.hpp"

namespace isthmus::offload::over_links {
namespace {

std::string text_of_board(int links) {
  std::ifstream stream(data_file("platforms/aws-f1.toml"));
  const std::string f1{std::istreambuf_iterator<char>(stream), {}};
  const std::string header = "[link.pcie]\n";
  const auto begin = f1.find(header);
  const auto end = f1.find("\n[", begin) + 1;
  const std::string keys = f1.substr(begin + header.size(), end - begin - header.size());
  std::string text = f1.substr(0, begin);
  for (int link = 0; link < links; ++link) text += fmt::format("[link.vh{}]\nkind = \"pcie\"\n{}", link, keys);
  return text + f1.substr(end);
}

std::string without_section(std::string text, const std::string& name) {
  const auto begin = text.find("[" + name + "]\n");
  return text.erase(begin, text.find("\n[", begin) + 1 - begin);
}

/// A file of this process, removed when it is read.
class WrittenFile {
 public:
  explicit WrittenFile(const std::string& text) { std::ofstream(path_) << text; }
  ~WrittenFile() { std::filesystem::remove(path_); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("isthmus-board-of-links-{}.toml", ::getpid());
};

/// A queue with its memory in host and device.
class TransferLine {
 public:
  TransferLine(ModelDevice& device, const QueueOfTransfers& what, unsigned number)
      : what_(what), queue_(device.queue()) {
    for (const std::int64_t size : what.sizes) {
      buffers_.push_back(device.allocate({size}));
      sent_.push_back(memory(device, size));
      back_.push_back(memory(device, size));
      unsigned seed = number * 977 + static_cast<unsigned>(sent_.size());
      for (std::byte& byte : sent_.back()) byte = static_cast<std::byte>((seed = seed * 1664525U + 1013904223U) >> 24U);
    }
  }

  void enqueue(Host& host) {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      host.write(*queue_, *buffers_[i], sent_[i], Call::nonblocking);
      if (what_.back) host.read(*queue_, *buffers_[i], back_[i], Call::nonblocking);
    }
  }
  void finish(Host& host) { host.finish(*queue_); }
  void read_back(Host& host) {
    for (std::size_t i = 0; i < sent_.size(); ++i) host.read(*queue_, *buffers_[i], back_[i], Call::blocking);
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
    if (what_.pinned) return pinned_.emplace_back(device.pin({size}))->bytes();
    return pageable_.emplace_back(static_cast<std::size_t>(size));
  }

  QueueOfTransfers what_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<PinnedBuffer>> pinned_;
  std::vector<std::vector<std::byte>> pageable_;
  std::vector<std::span<std::byte>> sent_;
  std::vector<std::span<std::byte>> back_;
};

}  // namespace

platform::Description board_of_links(int links, const Overrides& overrides) {
  const WrittenFile file(text_of_board(links));
  return platform::load(file.path(), overrides);
}

platform::Description board_of_links_alone(int links) {
  const WrittenFile file(without_section(text_of_board(links), "dma"));
  return platform::load(file.path());
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
  const Time start = device.clock();
  Transferred done;
  std::vector<HostThread> bodies;
  for (std::size_t thread = 0; thread < threads; ++thread)
    bodies.push_back({fmt::format("thread {}", thread), [&, thread](Host& host) {
                        for (const auto& line : lines)
                          if (line->thread() == thread) line->enqueue(host);
                        for (const auto& line : lines)
                          if (line->thread() == thread) line->finish(host);
                        done.elapsed = std::max(done.elapsed, host.now() - start);
                      }});
  device.run(std::move(bodies));
  device.run({{"reads back", [&lines](Host& host) {
                 for (const auto& line : lines) line->read_back(host);
               }}});
  for (const auto& line : lines) line->add_to(done);
  return done;
}

}  // namespace isthmus::offload::over_links
