#include "isthmus/platform/soc_core.hpp"

namespace isthmus::platform {

SocCore::SocCore(const SocSpec& spec)
    : memory(spec.core), line_(static_cast<std::uint64_t>(spec.core.line)), maintain_(spec.maintain) {}

// The core treats an invalidation as a flush: it writes a modified line back (Arm Cortex-A53 manual, DC IVAC).
void SocCore::maintain(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address / line_ * line_; at < address + bytes; at += line_) {
    work(maintain_);
    memory.flush(at);
  }
  memory.barrier();
}

}  // namespace isthmus::platform
