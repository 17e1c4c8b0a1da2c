#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCallKeys = std::to_array<Key>({
    {"transfer", time, 0, 100 * ms,
     "software time of one transfer from call to return, for any size: runtime, driver, interrupt, wake-up"},
    {"enqueue", time, 0, 100 * ms, "time that a thread takes to enqueue a command that it does not wait for"},
    {"wake", time, 0, 100 * ms, "time from the end of a command to the return of the thread that waits for it"},
});

}  // namespace

const PartKind kCall{
    .section = "host.call", .meaning = "calls of the runtime and driver on the host", .keys = kCallKeys};

}  // namespace isthmus::platform::kinds
