#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The cores of this host, which of them are near a device, and binding to them.
namespace isthmus {

/// Processing units of one core, as the operating system numbers them.
using CoreUnits = std::vector<int>;

class Cores {
 public:
  /// The cores of this host; throws Error if hwloc cannot read them.
  static Cores here();
  /// The cores of the machine that hwloc's XML describes (lstopo --of xml); throws Error if it is none.
  static Cores from_xml(const std::string& text);

  /// All cores, neighbours one after the other.
  std::vector<CoreUnits> all() const;
  /// The cores of the smallest part of the machine that the PCI device ("0000:41:00.0") hangs on; all where that is not
  /// known.
  std::vector<CoreUnits> near(const std::string& pci) const;
  /// Bytes of all caches that are nearest to memory together; 0 where that is not known.
  std::int64_t last_level_cache() const;
  /// The name that the processor gives itself; empty if it is not known.
  std::string processor() const;

 private:
  class Topology;
  explicit Cores(std::optional<std::string> xml);

  std::optional<std::string> xml_;
  std::shared_ptr<Topology> topology_;
};

/// The `index`th of `count` stretches, as equal as can be; all of them where there are fewer than that.
std::vector<CoreUnits> share_of(const std::vector<CoreUnits>& cores, std::size_t index, std::size_t count);

/// Their processing units in ascending order.
std::vector<int> units_of(const std::vector<CoreUnits>& cores);

/// "0-3,8".
std::string ranges(const std::vector<int>& units);

/// The processing units that this thread may use, and those that it starts.
std::vector<int> allowed_units();

/// Binds the calling thread. Throws Error if the system refuses.
void bind_thread(const std::vector<int>& units);

/// Binds every thread of this process that is where the process was put to these units, and with them those that are
/// started later; threads that bound themselves elsewhere stay. Throws Error if the system refuses.
void bind_to(const std::vector<int>& units);

}  // namespace isthmus
