#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace isthmus {

/// hwloc's XML of a machine: packages of cores of two processing units, numbered as Linux does (second units of all
/// cores behind the first ones), and a third-level cache
/// and one PCI device on each package.
class Machine {
 public:
  static constexpr const char* kProcessor = "A Processor";
  static constexpr std::int64_t kCache = std::int64_t{24} << 20;  ///< bytes, of the last level of a package

  Machine(int packages, int cores) : packages_(packages), cores_(cores) {}

  std::string xml() {
    std::string inside;
    for (int package = 0; package < packages_; ++package) inside += this->package(package);
    // A line each: hwloc's own parser, which is all there is where it loads no plugins, asks for it.
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
           "<topology version=\"2.0\">\n" +
           object("Machine", 0, set(0, packages_), nodes(0, packages_), inside) + "</topology>\n";
  }

 private:
  using Mask = std::uint64_t;

  Mask units(int core) const { return Mask{1} << core | Mask{1} << (packages_ * cores_ + core); }
  Mask set(int first, int packages) const {
    Mask mask = 0;
    for (int core = first * cores_; core < (first + packages) * cores_; ++core) mask |= units(core);
    return mask;
  }
  static Mask nodes(int first, int count) { return ((Mask{1} << count) - 1) << first; }

  std::string object(const char* type, int index, Mask cpus, Mask nodes, const std::string& inside,
                     const std::string& attributes = {}) {
    const auto words = [&](const char* name, Mask mask) {
      return fmt::format(R"( {0}="{1:#010x},{2:#010x}" complete_{0}="{1:#010x},{2:#010x}")", name, mask >> 32U,
                         mask & 0xffffffffU);
    };
    return fmt::format(R"(<object type="{}" os_index="{}"{}{}{} gp_index="{}">{}</object>)", type, index,
                       words("cpuset", cpus), words("nodeset", nodes), attributes, ++count_, inside);
  }

  std::string cores_of(int package) {
    std::string cores;
    for (int core = package * cores_; core < (package + 1) * cores_; ++core) {
      std::string pair;
      for (const int unit : {core, packages_ * cores_ + core})
        pair += object("PU", unit, Mask{1} << unit, nodes(package, 1), "");
      cores += object("Core", core, units(core), nodes(package, 1), pair);
    }
    return cores;
  }

  std::string package(int package) {
    std::string inside = fmt::format(R"(<info name="CPUModel" value="{}"/>)", kProcessor);
    inside += object("NUMANode", package, set(package, 1), nodes(package, 1), "");
    inside +=
        object("L3Cache", package, set(package, 1), nodes(package, 1), cores_of(package),
               fmt::format(R"( cache_size="{}" depth="3" cache_linesize="64" cache_associativity="16" cache_type="0")",
                           kCache));
    const int bus = 0x40 * package + 1;
    inside += fmt::format(
        R"(<object type="Bridge" gp_index="{}" bridge_type="0-1" depth="0" bridge_pci="0000:[{:02x}-{:02x}]">)"
        R"(<object type="PCIDev" gp_index="{}" pci_busid="0000:{:02x}:00.0" )"
        R"(pci_type="0302 [10de:2335] [10de:18be] a1" pci_link_speed="0.000000"/></object>)",
        count_ + 1, bus, bus, count_ + 2, bus);
    count_ += 2;
    return object("Package", package, set(package, 1), nodes(package, 1), inside);
  }

  int packages_;
  int cores_;
  int count_ = 0;
};

}  // namespace isthmus
