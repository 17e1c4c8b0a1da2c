#pragma once

#include <memory>
#include <optional>
#include <span>

#include "isthmus/application/application.hpp"
#include "isthmus/engine/graph.hpp"

/// Memory of this host in the place of a device's, or of what a device reaches over a link.
namespace isthmus::program {

/// An application's image, in pages as large as the system has: look-ups at random places would else wait for their
/// translation as well.
class NativeMemory {
 public:
  /// Throws Error where the system has no room for it.
  explicit NativeMemory(const MemoryImage& image);

  std::span<std::byte> bytes() { return {data_.get(), size_}; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* data) const;
  };
  std::size_t size_;
  std::unique_ptr<std::byte[], Unmap> data_;
};

/// Reads of it that are prefetched at once: requests at most, of a word each as look-ups make them.
inline constexpr int kPrefetched = 256;

/// The ends of that memory in a graph.
class NativeMemoryEnds final : public DeviceMemoryEnds {
 public:
  NativeMemoryEnds(Graph& graph, NativeMemory& memory) : graph_(graph), memory_(memory) {}

  void connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) override;
  void connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) override;
  std::uint64_t image() const override { return 0; }
  /// As many as are prefetched keep it busy, and as many again are on their way between the actors.
  RandomReads random_reads() const override;

 private:
  Graph& graph_;
  NativeMemory& memory_;
};

/// The same for what a kernel asks of the host's memory: no link lies between.
class NativeHostEnds final : public HostMemoryEnds {
 public:
  NativeHostEnds(Graph& graph, NativeMemory& memory) : graph_(graph), memory_(memory) {}

  void connect(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) override;
  void connect(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
               In<PcieWriteDone>& written) override;
  std::uint64_t image() const override { return 0; }
  std::optional<LinkReading> link() const override { return {}; }

 private:
  Graph& graph_;
  NativeMemory& memory_;
};

/// What the kernels of an application keep in memory, beside their messages.
class NativeMemories {
 public:
  explicit NativeMemories(const Extras& extras);

  /// Shows the application what the run has left.
  void finish();

 private:
  friend class NativeDevices;
  const Extras& extras_;
  std::optional<NativeMemory> device_;
  std::optional<NativeMemory> host_;
};

/// The ends of it that one copy of the kernel has.
class NativeDevices {
 public:
  NativeDevices(Graph& graph, NativeMemories& memories);

  void offer(KernelEnds& ends);

 private:
  std::optional<NativeMemoryEnds> memory_;
  std::optional<NativeHostEnds> host_;
};

}  // namespace isthmus::program
