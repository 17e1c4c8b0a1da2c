#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kStreamKeys = std::to_array<Key>({
    {"request_size", bytes, 64, 8 * kKiB, "largest piece in which the FPGA asks for or writes a buffer",
     kPowerOfTwo | kFasterEitherWay},
    {"requests_in_flight", count, 1, 1024, "read requests of that size under way, each with its reply buffer"},
    {"request_gap", cycles, 0, 1024, "cycles of the user clock that a request takes besides its data"},
    {"buffer_size",
     bytes,
     4 * kKiB,
     kGiB,
     "size of a pool's host buffer, which is pinned and physically contiguous",
     {.multiple_of = 64, .faster = Faster::either}},
    {"input_buffers", count, 1, 4096, "buffers in the pool from host to FPGA"},
    {"output_buffers", count, 1, 4096, "buffers in the pool from FPGA to host"},
    {"library_call", time, 0, 100 * us,
     "time to acquire, commit, receive or release a buffer: a library call that stays in user space"},
    {"porter_period", time, 10 * ns, 100 * ms, "time from one round of the porter thread to its next"},
});

constexpr std::array kStreamRelations = std::to_array<Relation>({
    {{"stream", "request_size"}, {"stream", "buffer_size"}},
});

}  // namespace

const PartKind kStream{.section = "stream",
                       .meaning = "the library that streams through pools of pinned buffers",
                       .keys = kStreamKeys,
                       .relations = kStreamRelations};

}  // namespace isthmus::platform::kinds
