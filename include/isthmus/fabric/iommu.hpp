#pragma once

#include "isthmus/fabric/delay_line.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/tags.hpp"

namespace isthmus::fabric {

/// The translations of an IOMMU: a TLB, and walks of the page tables behind it.
class Translations {
 public:
  explicit Translations(const IommuSpec& spec);

  struct Walk {
    Time room;  ///< time since which a walker has been free for the request
    Time begin;
    Time end;
  };
  /// An access that came at `came`, not before the one before it; returns when its translation is known: at once where
  /// the TLB has it, when its walk ends where one is under way or has to begin. `walked` is given that walk.
  template <class F>
  Time translate(std::uint64_t addr, Time came, const F& walked) {
    const std::uint64_t page = addr / page_bytes_;
    if (const Known* known = pages_.find(page)) return std::max(came, known->from);
    const Walk walk = begin_walk(page, came);
    walked(walk);
    return walk.end;
  }

 private:
  struct Known {
    Time from;
  };
  Walk begin_walk(std::uint64_t page, Time came);

  std::uint64_t page_bytes_;
  Time walk_;
  Tags<Known> pages_;
  Entries walkers_;
};

/// The name of an IOMMU's walks in reports.
inline constexpr const char* kWalks = "walks";

/// The IOMMU of a root port. Walks are under way side by side, those of requests that wait in the receive buffer
/// among them; the requests themselves stay in order, for none may pass a write. Messages need no translation.
class Iommu {
 public:
  In<HostRequest> in{"in"};
  Out<HostRequest> out{"out"};

  explicit Iommu(const IommuSpec& spec) : translations_(spec), walks_(kWalks, spec.walks) {}
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
  Translations translations_;
  Occupancy walks_;
};

}  // namespace isthmus::fabric
