#pragma once

#include <vector>

#include "isthmus/application/device_memory.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus::program {

/// The DRAM of a modelled board, as the actors of a kernel reach it.
class BoardMemoryEnds final : public DeviceMemoryEnds {
 public:
  /// Puts the image into `cells`, which is the board's. All live longer. The board has memory.
  BoardMemoryEnds(Graph& graph, platform::Board& board, const platform::MemorySpec& spec, fabric::DeviceMemory& cells,
                  const MemoryImage& image, const Clock& clock);

  void connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) override;
  void connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) override;
  std::uint64_t image() const override { return image_; }
  RandomReads random_reads() const override;

  /// The parts between the kernel's actors and memory, with names of keys as on any board. Once the kernel is there.
  std::vector<platform::PartPlan> parts() const;

 private:
  struct Way {
    std::string name;
    ActorId port;
  };
  platform::StreamingMaster on_board(const MemoryMaster& master) const;

  Graph& graph_;
  platform::Board& board_;
  const platform::MemorySpec& spec_;
  Clock clock_;
  std::uint64_t image_;
  std::vector<Way> ways_;
};

}  // namespace isthmus::program
