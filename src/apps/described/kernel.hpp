#pragma once

#include <cstddef>
#include <vector>

#include "apps/described/work.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/offload/datapath.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/shared/soc/machine.hpp"

/// A described application's kernel, behind each kind of memory.
namespace isthmus::apps::traffic {

/// Bytes of the buffers that hold a side of a message one after the other.
struct Buffers {
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;
};

/// What is launched between copies: its arguments are the buffers of the input, those of the output and the number of
/// the launch.
offload::KernelModel kernel_of(const Work& work, const Buffers& buffers);

/// The same behind the ports of a chip: the channel of a buffer's address is the number of its port.
soc::AddKernel kernel_behind_ports(const Work& work, const Buffers& buffers);

/// What reads a message where it lies. Parts of the input are of equal length, a buffer each, and the launch's own is
/// the first argument; the second is the output, all of which each launch writes once.
offload::DatapathMaker datapath_of(const Work& work);

/// What the words of a stream pass, of one launch that reads and writes each once.
void place_stream(const Work& work, program::Kernel& kernel);

}  // namespace isthmus::apps::traffic
