#pragma once

#include <optional>
#include <vector>

#include "isthmus/application/host_memory.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/stream/host_link.hpp"
#include "isthmus/stream/kernel_link.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::program {

/// The host's memory behind the link of a modelled board, as the actors of a kernel reach it.
class BoardHostEnds final : public HostMemoryEnds {
 public:
  /// Puts the image into the link's memory. All live longer.
  BoardHostEnds(Graph& graph, LinkUsers& users, const platform::Description& board, const PcieInterface& link,
                const HostImage& image);

  void connect(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) override;
  void connect(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
               In<PcieWriteDone>& written) override;
  std::uint64_t image() const override { return region_.addr; }
  std::optional<LinkReading> link() const override { return reading_; }

  /// Shows the application what the run has left.
  void finish() const;
  /// The parts between the kernel's actors and the link. Once the kernel is there.
  const std::vector<platform::PartPlan>& parts() const { return parts_; }

 private:
  HostWay way(const HostMaster& master) const;

  Graph& graph_;
  LinkUsers& users_;
  const HostImage& image_;
  HostLinkSpec spec_;
  LinkReading reading_;
  PinnedMemory::Region region_;
  std::vector<platform::PartPlan> parts_;
};

}  // namespace isthmus::program
